import { GIB } from '../../lib/units.ts';
import type { HistoryPlace } from '../../report/history.ts';
import type { DayStats, DeviceStats } from './device-view.ts';
import { divide, hourMs, startOfHour } from './figures.ts';
import { type LocalDay, sumDays } from './local-view.ts';

/** What this device counted itself in the window of the service's answer, oldest day first, and why the two may differ. */
export type HereStats = ReturnType<typeof compareDays>;
/** A day as it was counted here; a difference is the service's figure less ours, as a share of ours. */
export type HereDay = HereStats['days'][number];

export const hereReasons = {
  'uptime-undercounted':
    "The service's uptime leaves out stretches in which the mode changed or it did not see the device: less than here is usual.",
  'history-purged': 'The service keeps its history for a while only: what it no longer knows stands here alone.',
  'still-counting': 'Today is not over: the service adds what it counted with a delay.',
} as const;

const worthSaying = 0.02;

/** The own days beside those of the service, also those of which it says nothing any more. @throws state-unreadable */
export async function readHere(
  stats: Pick<DeviceStats, 'days' | 'askedHours' | 'windowHours' | 'createdAt'>,
  place: HistoryPlace,
): Promise<HereStats | undefined> {
  const [{ readHistory }, { clipHours, findMoment }] = await Promise.all([
    import('../../report/history.ts'),
    import('../../report/same-moment.ts'),
  ]);
  const sinceMs = startOfHour(place.nowMs - (stats.windowHours ?? stats.askedHours) * hourMs);
  const hours = await readHistory({ unit: 'hour', sinceMs }, place);
  // What came since then is in ours alone.
  const untilMs = findMoment(stats.createdAt, place.nowMs);
  const own = sumDays(clipHours(hours, { sinceMs, untilMs, nowMs: place.nowMs }));
  if (own.length === 0) return undefined;
  return compareDays(stats.days, own, new Date(place.nowMs).toISOString().slice(0, 10));
}

/** `today`: `yyyy-mm-dd`. */
export function compareDays(service: readonly DayStats[], own: readonly LocalDay[], today: string) {
  const byDay = new Map(service.map((day) => [day.day, day]));
  const compare = (figure: number | undefined, here: number) => {
    const ratio = divide(figure, here);
    return ratio === undefined ? undefined : ratio - 1;
  };
  const days = own.map(({ day, providingSeconds, upBytes, downBytes }) => {
    const providingHours = providingSeconds / 3600;
    const transferGib = (upBytes + downBytes) / GIB;
    return {
      day,
      providingHours,
      transferGib,
      uptimeDifference: compare(byDay.get(day)?.uptimeHours, providingHours),
      transferDifference: compare(byDay.get(day)?.transferGib, transferGib),
    };
  });
  const oldest = service[0]?.day;
  const isWorthSaying = (share = 0) => Math.abs(share) > worthSaying;
  const found: Readonly<Record<keyof typeof hereReasons, boolean>> = {
    'uptime-undercounted': days.some(({ uptimeDifference = 0 }) => uptimeDifference < -worthSaying),
    'history-purged': oldest === undefined || days.some(({ day }) => day < oldest),
    'still-counting': days.some(
      (own) => own.day === today && (isWorthSaying(own.uptimeDifference) || isWorthSaying(own.transferDifference)),
    ),
  };
  return { days, reasons: (Object.keys(found) as (keyof typeof found)[]).filter((reason) => found[reason]) };
}
