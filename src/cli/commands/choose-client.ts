import { TributaryError } from '../../errors/codes.ts';
import { findNearest } from '../../lib/edit-distance.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import type { OperationResponse } from '../../service/operations.ts';
import { refuse } from '../frame/command.ts';
import type { Session } from '../frame/session.ts';

/** The help text of an argument that `chooseClient` reads. */
export const namesOfClient = 'a device: its name, its id, the start of its id, or this';

/** A client of the network by what a person may call it. */
export interface NamedClient {
  readonly clientId: string;
  /** '' for a client without a name. */
  readonly name: string;
}

const mostNamed = 5;
const howToRegister =
  'To register it: sudo systemctl start tributary. To see the others: tributary device list';

/**
 * The client with this id or name, or with the only one that begins like this; `this` is this
 * device.
 * @throws usage-invalid for none or several; codes of `Session.call`
 */
export async function chooseClient(
  session: Pick<Session, 'findOwnClientId' | 'stream'>,
  text: string,
): Promise<NamedClient> {
  const wanted = text === 'this' ? await session.findOwnClientId() : text;
  if (wanted === undefined)
    throw refuse('this device is not registered yet', { action: howToRegister });
  const known: NamedClient[] = [];
  const keep = createRowKeeper('clients of that name');
  let nearest: string | undefined;
  for await (const client of session.stream('clients', undefined)) {
    const named = toNamedClient(client);
    if (named?.clientId === wanted) return named;
    if (named !== undefined && begins(named, wanted)) known.push(keep(named));
    nearest = findNearest(wanted, [named?.name ?? '', nearest ?? '']);
  }
  const exact = known.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const found = exact.length > 0 ? exact : known;
  if (found[0] !== undefined && found.length === 1) return found[0];
  throw createUnclearError(text, found, nearest);
}

function createUnclearError(
  text: string,
  found: readonly NamedClient[],
  nearest: string | undefined,
) {
  if (found.length === 0) {
    const hint = nearest ? `; did you mean ${toPlainText(nearest)}?` : '';
    return refuse(`no device is called ${text}${hint}`, {
      action: 'See your devices: tributary device list',
    });
  }
  const named = found
    .slice(0, mostNamed)
    .map(({ clientId, name }) => `${clientId} (${name || 'no name'})`);
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : '';
  const message = `${text} matches several devices: ${toPlainText(named.join(', '))}${more}`;
  return refuse(message, { action: 'Type more of the name or id.' });
}

/** What people may call a client; undefined for a row without an id. */
export function toNamedClient(
  client: OperationResponse<'clients'>['clients'][number],
): NamedClient | undefined {
  if (client.clientId === undefined) return undefined;
  return { clientId: client.clientId, name: client.deviceName || client.description || '' };
}

function begins({ clientId, name }: NamedClient, text: string): boolean {
  return (
    text !== '' && [clientId, name].some((own) => own.toLowerCase().startsWith(text.toLowerCase()))
  );
}

const mostBytes = 16 * 1024 ** 2;
/** Bytes that a row costs besides its text, because most of its fields are absent. */
const costOfRow = 300;

/**
 * Passes rows through for a command that holds all of them, as long as they fit in memory.
 * @throws answer-too-large
 */
export function createRowKeeper(what: string): <Row>(row: Row) => Row {
  let bytes = 0;
  return (row) => {
    bytes += costOfRow + JSON.stringify(row).length;
    if (bytes <= mostBytes) return row;
    throw new TributaryError(
      'answer-too-large',
      `the service lists more ${what} than can be shown at once`,
    );
  };
}
