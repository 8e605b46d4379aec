import type { NftTable } from '../system/nft.ts';
import { type DesiredDataPath, readTotals } from './state.ts';

/** The totals of both directions at which the cap, and its last part, begin to hold. */
export type CapTotals = Pick<DesiredDataPath, 'stopAtBytes' | 'newUntilBytes'>;

interface QuotaPlan {
  /** Each quota that has to be changed, as it is then. */
  readonly quotas: ReadonlyMap<string, { readonly bytes: number; readonly used: number }>;
  /** Names of those that had stopped, and that have to begin again. */
  readonly again: readonly string[];
}

/** Less of a difference than this (bytes) is not worth a change. */
const trifleBytes = 1_024;

/**
 * Bytes that the rules may still let pass before a total is reached, where the line may carry
 * `mostPerByte` for each byte that they see.
 */
export function toAllowance(
  stopAtBytes: number | undefined,
  total: number,
  mostPerByte: number,
): number | undefined {
  return stopAtBytes && Math.floor(Math.max(0, stopAtBytes - total) / mostPerByte);
}

/**
 * How the quotas of a table have to be changed, so that the line carries no more than the cap
 * before they stop, whatever the kernel joined. Up to `unread` bytes of what the line has carried
 * may be missing in the table.
 */
export function planQuotas(
  table: NftTable,
  cap: CapTotals,
  { mostPerByte, unread }: { readonly mostPerByte: number; readonly unread: number },
): QuotaPlan {
  const totals = readTotals(table);
  const total = (totals?.up.bytes ?? 0) + (totals?.down.bytes ?? 0) + unread;
  const wanted = { cap: cap.stopAtBytes, cap_new: cap.newUntilBytes };
  const changes = Object.entries(wanted).flatMap(([name, stopAtBytes]) => {
    const quota = table.quotas.get(name);
    const left = toAllowance(stopAtBytes, total, mostPerByte);
    if (totals === undefined || quota === undefined || left === undefined) return [];
    const { bytes, used } = quota;
    if (Math.abs(bytes - used - left) < trifleBytes) return [];
    const hasStopped = used >= bytes;
    if (hasStopped && left === 0) return [];
    return [
      { name, hasStopped, bytes: hasStopped ? left : used + left, used: hasStopped ? 0 : used },
    ];
  });
  return {
    quotas: new Map(changes.map(({ name, bytes, used }) => [name, { bytes, used }])),
    again: changes.filter(({ hasStopped }) => hasStopped).map(({ name }) => name),
  };
}
