import { TributaryError } from '../lib/errors.ts';
import { toPlainText } from '../lib/plain-text.ts';
import type { OperationResponse } from '../service/operations.ts';
import { refuse } from './command.ts';
import type { Session } from './session.ts';

/** A client of the network, as far as a person names it: `name` is '' where it has none. */
export type NamedClient = NonNullable<ReturnType<typeof toNamedClient>>;

const mostNamed = 5;

/** By id, the start of an id, name, or `this`. @throws usage-invalid for none or several; codes of `Session.call` */
export async function chooseClient(session: Pick<Session, 'findOwnClientId' | 'stream'>, text: string) {
  const wanted = text === 'this' ? await session.findOwnClientId() : text;
  if (wanted === undefined) throw refuse('this device is not registered as a client');
  const known: NamedClient[] = [];
  const keep = createRowKeeper('clients of that name');
  for await (const client of session.stream('clients', undefined)) {
    const named = toNamedClient(client);
    if (named?.clientId === wanted) return named;
    if (named !== undefined && fits(named, wanted)) known.push(keep(named));
  }
  const [only, ...others] = known;
  if (only === undefined) {
    throw refuse(`no client of this network is called ${text}; see them with \`tributary device list\``);
  }
  if (others.length === 0) return only;
  const named = known.slice(0, mostNamed).map(({ clientId, name }) => `${clientId} (${name || 'no name'})`);
  const more = known.length > mostNamed ? ` and ${known.length - mostNamed} more` : '';
  throw refuse(`${text} fits several clients: ${toPlainText(named.join(', '))}${more}`);
}

/** What people call a client; undefined for a row without an id. */
export function toNamedClient(client: OperationResponse<'clients'>['clients'][number]) {
  if (client.clientId === undefined) return undefined;
  return { clientId: client.clientId, name: client.deviceName || client.description || '' };
}

function fits({ clientId, name }: NamedClient, wanted: string): boolean {
  const lower = wanted.toLowerCase();
  return wanted !== '' && (clientId.toLowerCase().startsWith(lower) || name.toLowerCase() === lower);
}

const mostBytes = 16 * 1024 ** 2;
/** What a row costs besides, whose fields are mostly absent. */
const costOfRow = 300;

/** Hands rows through that a command holds until it has all of them: as many as fit in memory. @throws answer-too-large */
export function createRowKeeper(what: string): <Row>(row: Row) => Row {
  let bytes = 0;
  return (row) => {
    bytes += costOfRow + JSON.stringify(row).length;
    if (bytes <= mostBytes) return row;
    throw new TributaryError('answer-too-large', `the service lists more ${what} than can be shown at once`);
  };
}
