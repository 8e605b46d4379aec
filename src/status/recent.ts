import type { Facts } from '../health/facts.ts';
import type { Phase, PhaseReport } from '../health/phase.ts';
import { readTraffic, type TrafficReading } from '../health/speeds.ts';
import { type ChosenMode, findChosenMode } from './chosen-mode.ts';

/** A change, with its time by the device's clock. */
export type RecentEvent =
  | {
      readonly kind: 'phase';
      readonly at: Date;
      readonly phase: Phase;
      readonly message: string | undefined;
    }
  | ({ readonly kind: 'mode'; readonly at: Date } & ChosenMode)
  | { readonly kind: 'start'; readonly at: Date; readonly version: string };

/** What happened lately, as far as a page shows it. It is limited in size. */
export interface Recent {
  /** Call it at every look at the phase. */
  note(facts: Facts, report: PhaseReport): void;
  /** Events of earlier runs, too; the newest first. */
  events(): readonly RecentEvent[];
  /** The oldest first. */
  readings(): readonly TrafficReading[];
  /** The counters now; undefined before the first reading. */
  read(facts: Facts): TrafficReading | undefined;
}

const eventLimit = 50;
const messageLimit = 300;
const readingLimit = 60;
const readEveryMs = 10_000;

/**
 * @param nowMs a monotonic clock in ms, such as `() => performance.now()`
 * @param earlier events of runs before, the newest first
 */
export function createRecent(
  now: () => Date,
  nowMs: () => number,
  earlier: readonly RecentEvent[] = [],
): Recent {
  let events = earlier;
  let readings: readonly TrafficReading[] = [];
  let before: { readonly phase: string; readonly mode: string } | undefined;
  const read = (facts: Facts) => readTraffic(facts, nowMs());
  return {
    note(facts, { phase, reasons }) {
      const mode = findModeInForce(facts);
      const current = {
        phase: `${phase} ${reasons[0]?.code}`,
        mode: `${mode?.mode} ${mode?.chooser}`,
      };
      const at = now();
      const added: RecentEvent[] = [];
      if (mode !== undefined && current.mode !== before?.mode)
        added.push({ kind: 'mode', at, ...mode });
      if (current.phase !== before?.phase) {
        added.push({
          kind: 'phase',
          at,
          phase,
          message: reasons[0]?.message.slice(0, messageLimit),
        });
      }
      if (added.length > 0) events = [...added.reverse(), ...events].slice(0, eventLimit);
      before = current;
      const reading = read(facts);
      if (
        reading !== undefined &&
        reading.atMs - (readings.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= readEveryMs
      ) {
        readings = [...readings, reading].slice(-readingLimit);
      }
    },
    events: () => events,
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
