import { dayMs, GIB } from '../lib/units.ts';
import type { OperationResponse } from '../service/operations.ts';
import { type LedgerLine, type ServiceCount, unitMs } from './ledger-line.ts';

type Answer = Pick<OperationResponse<'providerLastN'>, 'uptime' | 'transferData' | 'payout'>;

const isStart = /^\d{4}-\d{2}-\d{2}(T([01]\d|2[0-3]):00Z)?$/;

/**
 * The ledger's lines from an answer of the service. Hours and days that did not begin in the
 * requested time are left out: they are incomplete or made up.
 */
export function readServiceLines(
  { uptime, transferData, payout }: Answer,
  asked: { readonly sinceMs: number; readonly atMs: number },
): readonly LedgerLine[] {
  const lines = new Map<string, LedgerLine>();
  const add = (
    start: string,
    figure: Exclude<keyof ServiceCount, 'serviceUntilMs'>,
    value: number,
  ) => {
    const startMs = isStart.test(start) ? Date.parse(start) : Number.NaN;
    if (!(startMs >= asked.sinceMs && startMs <= asked.atMs + dayMs && value >= 0)) return;
    const before = lines.get(start);
    const endMs = startMs + unitMs[start.length > 10 ? 'hour' : 'day'];
    const serviceUntilMs = Math.min(asked.atMs, endMs);
    lines.set(start, {
      start,
      ...before,
      [figure]: (before?.[figure] ?? 0) + value,
      serviceUntilMs,
    });
  };
  for (const [key, minutes] of Object.entries(uptime)) {
    const day = key.slice(0, 10);
    add(day, 'serviceOnlineSeconds', Math.round(minutes * 60));
    if (key !== day)
      add(`${day}T${key.slice(11)}:00Z`, 'serviceOnlineSeconds', Math.round(minutes * 60));
  }
  for (const [day, gib] of Object.entries(transferData))
    add(day, 'serviceBytes', Math.round(gib * GIB));
  for (const [day, usdc] of Object.entries(payout))
    add(day, 'servicePayoutUsdc', Math.round(usdc * 1e6) / 1e6);
  return [...lines.values()];
}
