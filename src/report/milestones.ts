import type { Facts } from '../health/facts.ts';
import { formatBytes, formatUsdc } from '../lib/units.ts';

/** What the owner was told before. */
export interface Told {
  /** Start of the period that `capPercent` is about, ISO 8601. */
  readonly periodStart?: string | undefined;
  readonly capPercent: 0 | 80 | 100;
  readonly isPayoutTold: boolean;
}

/** An event that happens once in a period, or once for ever. */
export interface Milestone {
  readonly event: 'cap-80' | 'cap-100' | 'first-payout';
  readonly message: string;
  readonly told: Told;
}

/**
 * The next milestone that was reached and not told yet; undefined without one. `told` is undefined
 * if nothing was ever told.
 */
export function findMilestone(
  { usage, earned, provide }: Facts,
  told: Told | undefined,
): Milestone | undefined {
  const periodStart = usage.periodStart?.toISOString();
  const isPayoutTold = told?.isPayoutTold ?? false;
  const toldPercent = told?.periodStart === periodStart ? (told?.capPercent ?? 0) : 0;
  const share = usage.capBytes === undefined ? 0 : usage.bytes / usage.capBytes;
  const capPercent =
    share >= 1 || provide.pause?.code === 'cap-reached' ? 100 : share >= 0.8 ? 80 : 0;
  if (usage.capBytes !== undefined && capPercent > toldPercent && capPercent !== 0) {
    const used = `${formatBytes(usage.bytes)} of ${formatBytes(usage.capBytes)} are used in this period`;
    const message = `The data cap is ${capPercent === 100 ? '' : 'nearly '}reached: ${used}.`;
    return { event: `cap-${capPercent}`, message, told: { periodStart, capPercent, isPayoutTold } };
  }
  if (earned === undefined || earned.last24hUsdc <= 0 || isPayoutTold) return undefined;
  const message = `The service counts earnings of this device: ${formatUsdc(earned.last24hUsdc)} in the last 24 hours.`;
  return {
    event: 'first-payout',
    message,
    told: { periodStart, capPercent: toldPercent, isPayoutTold: true },
  };
}
