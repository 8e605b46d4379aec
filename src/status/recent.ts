import type { Facts } from '../health/facts.ts';
import type { Phase, PhaseReport } from '../health/phase.ts';
import { type ChosenMode, findChosenMode } from './chosen-mode.ts';

/** Something that changed, by the device's clock. */
export type RecentEvent =
  | { readonly kind: 'phase'; readonly at: Date; readonly phase: Phase; readonly message: string | undefined }
  | ({ readonly kind: 'mode'; readonly at: Date } & ChosenMode);

/** The counters of forwarded traffic at a moment of a monotonic clock, in ms. */
export type TrafficReading = Readonly<Record<'atMs' | 'upBytes' | 'downBytes', number>>;

/** Bytes a second each way from each reading to the next. Counters that went back were made new: nothing is shown then. */
export function computeSpeeds(readings: readonly TrafficReading[]) {
  return readings.slice(1).map((after, index) => {
    const before = readings[index] ?? after;
    const seconds = Math.max(1, after.atMs - before.atMs) / 1000;
    const up = Math.max(0, after.upBytes - before.upBytes) / seconds;
    return { up, down: Math.max(0, after.downBytes - before.downBytes) / seconds };
  });
}

/** What happened since the agent started, as far as a page shows it; bounded, and in memory only. */
export type Recent = ReturnType<typeof createRecent>;

const eventLimit = 50;
const messageLimit = 300;
const readingLimit = 60;
const readEveryMs = 10_000;

/** @param nowMs a monotonic clock in ms, such as `() => performance.now()` */
export function createRecent(now: () => Date, nowMs: () => number) {
  let events: readonly RecentEvent[] = [];
  let readings: readonly TrafficReading[] = [];
  let before: { readonly phase: string; readonly mode: string } | undefined;
  /** The counters now; undefined before the first reading. */
  const read = ({ gateway: { forwardedBytes } }: Facts): TrafficReading | undefined =>
    forwardedBytes && { atMs: nowMs(), upBytes: forwardedBytes.up, downBytes: forwardedBytes.down };
  return {
    /** To be called with every look at the phase. */
    note(facts: Facts, { phase, reasons }: PhaseReport) {
      const mode = findModeInForce(facts);
      const current = { phase: `${phase} ${reasons[0]?.code}`, mode: `${mode?.mode} ${mode?.chooser}` };
      const at = now();
      const added: RecentEvent[] = [];
      if (mode !== undefined && current.mode !== before?.mode) added.push({ kind: 'mode', at, ...mode });
      if (current.phase !== before?.phase) {
        added.push({ kind: 'phase', at, phase, message: reasons[0]?.message.slice(0, messageLimit) });
      }
      if (added.length > 0) events = [...added.reverse(), ...events].slice(0, eventLimit);
      before = current;
      const reading = read(facts);
      if (reading !== undefined && reading.atMs - (readings.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= readEveryMs) {
        readings = [...readings, reading].slice(-readingLimit);
      }
    },
    /** The newest first. */
    events: () => events,
    /** The oldest first. */
    readings: () => readings,
    read,
  };
}

/** The mode in force and who chose it; undefined before it was first decided. */
function findModeInForce({ provide }: Facts): ChosenMode | undefined {
  const { effective: mode } = provide;
  const chosen = findChosenMode(provide);
  if (mode === undefined) return undefined;
  return mode === chosen.mode ? chosen : { mode, chooser: 'agent' };
}
