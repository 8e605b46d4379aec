import { GIB } from '../../lib/units.ts';
import type { HistoryPlace } from '../../report/history.ts';
import type { DayStats, DeviceStats } from './device-view.ts';
import { joinHours, type LocalDay } from './local-view.ts';

/** What this device counted itself in the window of the service's answer. */
export interface HereStats {
  /** Oldest first; also days of which the service says nothing any more. */
  readonly days: readonly HereDay[];
  /** Why the two may differ, as far as that is seen. */
  readonly reasons: readonly HereReason[];
}

/** A day as it was counted here; a difference is the service's figure less ours, as a share of ours. */
export interface HereDay {
  readonly day: string;
  readonly providingHours: number;
  readonly transferGib: number;
  readonly uptimeDifference: number | null;
  readonly transferDifference: number | null;
}

export type HereReason = 'uptime-undercounted' | 'history-purged' | 'still-counting';

/** In words of their own, for people. */
export const hereReasons: Readonly<Record<HereReason, string>> = {
  'uptime-undercounted':
    "The service's uptime leaves out stretches in which the mode changed or it did not see the device: less than here is usual.",
  'history-purged': 'The service keeps its history for a while only: what it no longer knows stands here alone.',
  'still-counting': 'Today is not over: the service adds what it counted with a delay.',
};

/** Less is noise. */
const worthSaying = 0.02;
const hourMs = 3_600_000;

/** The own days beside those of the service. @throws state-unreadable */
export async function readHere(
  stats: Pick<DeviceStats, 'days' | 'askedHours' | 'windowHours'>,
  place: HistoryPlace,
): Promise<HereStats | null> {
  const { readHistory } = await import('../../report/history.ts');
  const hours = stats.windowHours ?? stats.askedHours;
  const sinceMs = Math.floor((place.nowMs - hours * hourMs) / hourMs) * hourMs;
  const own = joinHours(await readHistory({ unit: 'hour', sinceMs }, place));
  return own.length === 0 ? null : compareDays(stats.days, own, new Date(place.nowMs).toISOString().slice(0, 10));
}

/** `today`: `yyyy-mm-dd`. */
export function compareDays(service: readonly DayStats[], own: readonly LocalDay[], today: string): HereStats {
  const byDay = new Map(service.map((day) => [day.day, day]));
  const days = own.map(({ day, providingSeconds, upBytes, downBytes }) => {
    const providingHours = providingSeconds / 3600;
    const transferGib = (upBytes + downBytes) / GIB;
    return {
      day,
      providingHours,
      transferGib,
      uptimeDifference: toDifference(byDay.get(day)?.uptimeHours, providingHours),
      transferDifference: toDifference(byDay.get(day)?.transferGib, transferGib),
    };
  });
  const oldest = service[0]?.day;
  const found: Readonly<Record<HereReason, boolean>> = {
    'uptime-undercounted': days.some(({ uptimeDifference }) => (uptimeDifference ?? 0) < -worthSaying),
    'history-purged': oldest === undefined || days.some(({ day }) => day < oldest),
    'still-counting': days.some((own) => own.day === today && hasDifference(own)),
  };
  return { days, reasons: (Object.keys(found) as HereReason[]).filter((reason) => found[reason]) };
}

function hasDifference({ uptimeDifference, transferDifference }: HereDay): boolean {
  return [uptimeDifference, transferDifference].some((share) => Math.abs(share ?? 0) > worthSaying);
}

function toDifference(service: number | null | undefined, here: number): number | null {
  return service === null || service === undefined || here === 0 ? null : service / here - 1;
}
