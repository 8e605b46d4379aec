import type { Facts } from '../../../src/health/facts.ts';
import { judgePhase } from '../../../src/health/phase.ts';
import type { HistoryRow } from '../../../src/report/history.ts';
import { createRecent, type Recent } from '../../../src/status/recent.ts';
import type { ReadHistory } from '../../../src/status/source.ts';
import { ago, createFacts, now } from '../../../tools/docs/sample-facts.ts';
import { makeHistoryRow } from '../../../tools/docs/sample-history-row.ts';

const lengthMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** A row of the ledger, in which nothing was counted but `counted`. */
export function createHistoryRow(startMs: number, counted: Partial<HistoryRow> = {}): HistoryRow {
  return makeHistoryRow({ startMs, ...counted });
}

/** A ledger that holds these rows alone. */
export function keepRows(
  rows: Readonly<Record<'hour' | 'day', readonly HistoryRow[]>>,
): ReadHistory {
  return ({ unit, sinceMs, untilMs = Number.POSITIVE_INFINITY }) =>
    rows[unit].filter(({ startMs }) => startMs >= sinceMs && startMs < untilMs);
}

/**
 * A ledger over the time before `now`: busier in the evening, one gap, and a service that counts a
 * little less, bytes by the day alone.
 */
export const sampleHistory: ReadHistory = ({ unit, sinceMs, untilMs = now.getTime() + 1 }) => {
  const ms = lengthMs[unit];
  const newest = Math.floor(now.getTime() / ms) * ms;
  const last = Math.min(newest, Math.ceil(untilMs / ms) * ms - ms);
  const count = Math.max(0, Math.floor((last - sinceMs) / ms) + 1);
  return Array.from({ length: count }, (_, index) =>
    createRow(last - (count - 1 - index) * ms, unit),
  ).filter(({ startMs }) => Math.round((newest - startMs) / ms) !== 9);
};

function createRow(startMs: number, unit: 'hour' | 'day') {
  const hours = Array.from(
    { length: lengthMs[unit] / lengthMs.hour },
    (_, hour) => startMs / lengthMs.hour + hour,
  );
  const isOver = startMs + lengthMs[unit] <= now.getTime();
  const bytes = sum(hours.map(chooseBytes));
  const providingSeconds = sum(hours.map(chooseProvidingSeconds));
  return createHistoryRow(startMs, {
    providingSeconds,
    upBytes: Math.round(bytes * 0.12),
    downBytes: Math.round(bytes * 0.88),
    refusedPackets: hours.length * ((hours[0] ?? 0) % 11),
    serviceOnlineSeconds: isOver ? Math.round(providingSeconds * 0.96) : undefined,
    serviceBytes: isOver && unit === 'day' ? Math.round(bytes * 0.98) : undefined,
  });
}

function chooseBytes(hour: number): number {
  const evening = 1.2 + Math.sin((hour % 24) / 3.8) + 0.3 * ((hour * 7) % 5);
  const day = 1 + 0.4 * Math.sin(Math.floor(hour / 24) * 1.1);
  return isAhead(hour) ? 0 : evening * day * 4.3e8;
}

function chooseProvidingSeconds(hour: number): number {
  const wasAway = Math.floor(hour / 24) % 9 === 5 && hour % 24 < 7;
  return isAhead(hour) || wasAway ? 0 : hour % 7 === 3 ? 3300 : 3600;
}

/** The running hour is at its very beginning. */
function isAhead(hour: number): boolean {
  return hour * lengthMs.hour >= now.getTime();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * A device that registered, connected and provided, with readings every 15 s for as long as they
 * are kept, up to 5 s before `last`.
 */
export function makeRecent(last: Facts): Recent {
  let ms = 0;
  let at = ago(7200);
  const recent = createRecent(
    () => at,
    () => ms,
    [{ kind: 'start', at, version: last.version }],
  );
  const note = (facts: Facts) => recent.note(facts, judgePhase(facts, at));
  const { up, down } = last.gateway.forwardedBytes ?? { up: 0, down: 0 };
  const bytesPerSecond = Math.min(1_450_000, down / 1200);
  // A device that no longer provides stopped some minutes ago.
  const chooseSpeed = (step: number) =>
    !last.gateway.isOpen && step < 16
      ? 0
      : bytesPerSecond * (1 + 0.3 * Math.sin(step / 6) + 0.12 * Math.sin(step / 1.9));
  /** What was forwarded so many readings before `last`. */
  const countAt = (left: number) => {
    const missing = sum(
      Array.from({ length: left }, (_, step) => chooseSpeed(step) * (step === 0 ? 5 : 15)),
    );
    return {
      forwardedBytes: { up: Math.max(0, up - missing / 8), down: Math.max(0, down - missing) },
    };
  };
  note(
    createFacts({
      registration: undefined,
      provide: { effective: undefined },
      gateway: countAt(62),
    }),
  );
  at = ago(7100);
  note(createFacts({ tunnel: { lastHandshakeAt: undefined }, gateway: countAt(62) }));
  at = ago(7000);
  for (let left = 61; left > 0; left -= 1) {
    ms += 15_000;
    note(createFacts({ tunnel: { lastHandshakeAt: at }, gateway: countAt(left) }));
  }
  ms += 5_000;
  at = ago(240);
  note(last);
  return recent;
}
