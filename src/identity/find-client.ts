import { hasCode, TributaryError } from '../errors/codes.ts';
import { sleep } from '../lib/sleep.ts';
import type { OperationResponse } from '../service/operations.ts';
import {
  type DesiredDevice,
  type RegistrationDependencies,
  toIssuedTunnel,
} from './authenticate.ts';
import type { LoadedDevice } from './load.ts';
import {
  type IssuedTunnel,
  markDeviceSpec,
  type OwnClient,
  type PendingCreate,
  readInstallId,
} from './registration-files.ts';

/** A row of /network/clients. */
export type ClientRow = OperationResponse<'clients'>['clients'][number];
/** A row that names its client. */
export type NamedClientRow = ClientRow & { readonly clientId: string };

/** What is known of this device when its row is looked for. */
export type KnownOfUs = Pick<LoadedDevice, 'identity' | 'pending'>;
export type DesiredClient = KnownOfUs & Pick<DesiredDevice, 'description' | 'spec'>;

/**
 * `ambiguous` if several clients could be ours: taking another device's client would break that
 * device.
 */
export type Finding =
  | { readonly kind: 'found'; readonly row: NamedClientRow }
  | { readonly kind: 'absent' }
  | { readonly kind: 'ambiguous'; readonly clientIds: readonly string[] };

/** What a look at the list showed, and how much of it could not be read: it may be our client. */
export type ListSeen = Readonly<{ rows: readonly ClientRow[]; unread: number }>;
type Seen = ListSeen & { readonly finding: Finding };

/**
 * Looks at the list of the network's clients once, and for our client in it. Rows that cannot be
 * ours are dropped while the list arrives: `rows` holds only those that matter here.
 * @throws codes of `call`
 */
export async function lookUp(
  { client, token, desired, onNotice }: RegistrationDependencies,
  { identity, pending }: KnownOfUs,
  signal: AbortSignal,
): Promise<Seen> {
  const { description, spec } = desired;
  const keep = (row: ClientRow) =>
    row.clientId === identity.clientId ||
    row.description === description ||
    row.description === pending?.description ||
    readInstallId(row.deviceSpec) === identity.installId;
  let unread = 0;
  const { clients: rows } = await client.call('clients', undefined, {
    token,
    signal,
    keep,
    onUnread: ({ count, message }) => {
      unread = count;
      onNotice?.(message);
    },
  });
  return { rows, finding: findOwnClient(rows, { identity, pending, description, spec }), unread };
}

/**
 * The tunnel that the list of clients shows for a client of ours; undefined without one.
 * @throws codes of `call`
 */
export async function findTunnel(
  dependencies: RegistrationDependencies,
  own: OwnClient,
  signal: AbortSignal,
): Promise<IssuedTunnel | undefined> {
  const { finding } = await lookUp(dependencies, asKnown(own), signal);
  return finding.kind === 'found' ? toIssuedTunnel(finding.row.proxyClient) : undefined;
}

/**
 * Why a client of ours was not authenticated. If the service refused it and two looks at the list
 * do not show it, it is in the network no more: `client-lost`. Otherwise the given error.
 * @throws codes of `call`
 */
export async function explainRefusal(
  dependencies: RegistrationDependencies,
  { own, error }: { readonly own: OwnClient; readonly error: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  if (!hasCode(error, 'service-refused')) return error;
  const mayBeListed = async () => {
    const { finding, unread } = await lookUp(dependencies, asKnown(own), signal);
    return finding.kind === 'found' || unread > 0;
  };
  if (await mayBeListed()) return error;
  await waitForList(dependencies, signal);
  if (await mayBeListed()) return error;
  return createLostError(
    `the service no longer lists this device's client ${own.clientId} in your network (${error.message})`,
    error,
  );
}

/** In ms. A busy service may end a create minutes after its caller gave up, or list it later. */
const defaultSettleMs = 320_000;

/** The parts of that time before each further look: 5 s, then twice as long each time. */
const looks = [1 / 64, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2] as const;

/**
 * Looks for a client that a create may have made. Where its answer was lost, over minutes: no
 * answer is neither yes nor no, and a second create would make a second client. Resolves with the
 * last look, which may have found nothing.
 * @throws codes of `call`
 */
export async function lookRepeatedly(
  dependencies: RegistrationDependencies,
  known: KnownOfUs,
  signal: AbortSignal,
): Promise<Seen> {
  const { settleMs = defaultSettleMs } = dependencies;
  let seen = await lookUp(dependencies, known, signal);
  // A process that died meanwhile has most often sent nothing.
  for (const part of known.pending?.isUnclear ? looks : looks.slice(0, 1)) {
    if (seen.finding.kind !== 'absent') break;
    await sleep(settleMs * part, signal);
    seen = await lookUp(dependencies, known, signal);
  }
  return seen;
}

/**
 * Waits until the list can show what the service has just done. An abort ends the wait early, and
 * the next call reports it.
 */
async function waitForList(
  { settleMs = defaultSettleMs }: Pick<RegistrationDependencies, 'settleMs'>,
  signal: AbortSignal,
): Promise<void> {
  await sleep(settleMs * looks[0], signal);
}

/**
 * The other clients with the marker of this installation, which a lost answer of the service may
 * have left. Each counts as a device there, and nothing uses it.
 * @throws codes of `call`
 */
export async function findOtherClients(
  { client, token }: Pick<RegistrationDependencies, 'client' | 'token'>,
  own: OwnClient,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const keep = (row: ClientRow) =>
    row.clientId !== own.clientId && readInstallId(row.deviceSpec) === own.installId;
  const { clients } = await client.call('clients', undefined, { token, signal, keep });
  return clients.flatMap(({ clientId }) => clientId ?? []);
}

/** The error for a client that is gone or cannot be told: only the owner knows what to do. */
export function createLostError(what: string, cause?: unknown): TributaryError {
  return new TributaryError('client-lost', what, { cause });
}

/** What to look for a client of ours by: its id. */
const asKnown = (own: OwnClient): KnownOfUs => ({
  identity: { ...own, isUncertain: false },
  pending: undefined,
});

/**
 * Our client in the network's list: found by its id, else by our marker (the oldest one), else as
 * the new client of a create whose answer was lost.
 */
export function findOwnClient(rows: readonly ClientRow[], desired: DesiredClient): Finding {
  const named = rows.filter(
    (row): row is NamedClientRow => row.clientId !== undefined && row.clientId !== '',
  );
  const { identity, pending } = desired;
  if (identity.clientId !== undefined) {
    return judgeRows(named.filter((row) => row.clientId === identity.clientId).slice(0, 1));
  }
  const marked = named
    .filter((row) => readInstallId(row.deviceSpec) === identity.installId)
    .toSorted(byAge);
  if (marked.length > 0) return judgeRows(marked.slice(0, 1));
  if (identity.isUncertain) return judgeRows(named.filter((row) => looksLikeOurs(row, desired)));
  return judgeRows(named.filter((row) => pending !== undefined && isLeftBehind(row, pending)));
}

/**
 * The ids to remember before a create. A client that appears later, is not among them and looks
 * like ours, is ours.
 */
export function listKnownClientIds(
  rows: readonly ClientRow[],
  description: string,
): readonly string[] {
  return rows.filter((row) => row.description === description).flatMap((row) => row.clientId ?? []);
}

function judgeRows(rows: readonly NamedClientRow[]): Finding {
  const [row, ...others] = rows;
  if (row === undefined) return { kind: 'absent' };
  if (others.length > 0) return { kind: 'ambiguous', clientIds: rows.map((one) => one.clientId) };
  return { kind: 'found', row };
}

/**
 * True for a client that a lost create may have left at a service that keeps no device spec. A row
 * that another installation has marked is never ours.
 */
function isLeftBehind(row: NamedClientRow, pending: PendingCreate): boolean {
  return (
    row.description === pending.description &&
    !pending.knownClientIds.includes(row.clientId) &&
    readInstallId(row.deviceSpec) === undefined
  );
}

/**
 * True for a client that looks like ours when our identity was broken: it has our description, and
 * a marker of some installation.
 */
function looksLikeOurs(row: NamedClientRow, { description, spec }: DesiredClient): boolean {
  const installId = readInstallId(row.deviceSpec);
  return (
    installId !== undefined &&
    row.description === description &&
    row.deviceSpec === markDeviceSpec(spec, installId)
  );
}

/**
 * Oldest first; a row without a time comes last. Between equal times the ids decide, so that every
 * start decides alike.
 */
function byAge(one: NamedClientRow, other: NamedClientRow): number {
  return toMs(one.createTime) - toMs(other.createTime) || (one.clientId < other.clientId ? -1 : 1);
}

function toMs(time = ''): number {
  return Date.parse(time) || Number.MAX_SAFE_INTEGER;
}
