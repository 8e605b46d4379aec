import type { OperationResponse } from '../service/operations.ts';
import type { DesiredDevice } from './authenticate.ts';
import type { LoadedDevice } from './load.ts';
import { markDeviceSpec, type PendingCreate, readInstallId } from './registration-files.ts';

/** A row of /network/clients. */
export type ClientRow = OperationResponse<'clients'>['clients'][number];
/** A row that names its client. */
export type NamedClientRow = ClientRow & { readonly clientId: string };

/** What we know of ourselves when we look for our own row. */
export type KnownOfUs = Pick<LoadedDevice, 'identity' | 'pending'>;
export type DesiredClient = KnownOfUs & Pick<DesiredDevice, 'description' | 'spec'>;

/** `ambiguous`: some could be ours, and to take another device's client would break that device. */
export type Finding =
  | { readonly kind: 'found'; readonly row: NamedClientRow }
  | { readonly kind: 'absent' }
  | { readonly kind: 'ambiguous'; readonly clientIds: readonly string[] };

/**
 * Our client among the network's: by its id, else by our marker (the oldest), else by what a lost
 * create left behind.
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
 * Ids worth remembering before a create: later, a client that is not among them and looks like ours
 * is ours.
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

/** For a service that keeps no device spec; a row marked by another installation is never ours. */
function isLeftBehind(row: NamedClientRow, pending: PendingCreate): boolean {
  return (
    row.description === pending.description &&
    !pending.knownClientIds.includes(row.clientId) &&
    readInstallId(row.deviceSpec) === undefined
  );
}

/**
 * For an identity that was broken: described as we are, and marked by some installation of this
 * program.
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
 * Oldest first; a row without a time comes last. Ids decide between equals, so that every start
 * decides alike.
 */
function byAge(one: NamedClientRow, other: NamedClientRow): number {
  return toMs(one.createTime) - toMs(other.createTime) || (one.clientId < other.clientId ? -1 : 1);
}

function toMs(time = ''): number {
  return Date.parse(time) || Number.MAX_SAFE_INTEGER;
}
