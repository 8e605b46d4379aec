import { GIB } from '../../lib/units.ts';
import { usdcPerGib } from '../prices.ts';
import { type ClientUsage, noTraffic } from '../usage.ts';
import type { KeptContract } from './contract-book.ts';

/** What a consumer pays for bytes, in USDC. */
export function toPrice(bytes: number): number {
  return (bytes / GIB) * (usdcPerGib / payoutShare);
}

/** What a provider earns by them: half of it. */
export function toEarnings(bytes: number): number {
  return toPrice(bytes) * payoutShare;
}

const payoutShare = 0.5;

/** Who provided, and what the contract adds to its usage. */
export function toProviderUsage(
  { sourceId, destinationId, isCompanion, paidBytes }: KeptContract,
  atMs: number,
): Omit<ClientUsage, 'isConnected'> {
  const [clientId, consumerId] =
    isCompanion === 1 ? [sourceId, destinationId] : [destinationId, sourceId];
  return {
    ...noTraffic,
    atMs,
    clientId,
    consumerId,
    ...(isCompanion === 1 ? { rxBytes: paidBytes } : { txBytes: paidBytes }),
    sessions: isCompanion === 1 ? 0 : 1,
    consumerBytes: paidBytes,
  };
}
