import { GIB, hourMs } from '../../../lib/units.ts';
import type { HistoryPlace } from '../../../report/history.ts';
import type { OperationResponse } from '../../../service/operations.ts';
import type { ProfileName } from '../../../service/profiles.ts';
import type { Session } from '../../frame/session.ts';
import type { NamedClient } from '../choose-client.ts';
import { divide, startOfHour, sumFigures, sumKnown } from './figures.ts';
import { type LocalDay, sumDays } from './local-view.ts';

type Answer = Omit<OperationResponse<'providerLastN'>, 'error'>;

export type DeviceStats = ReturnType<typeof viewDeviceStats>;
/** One day of a device; `day` is `yyyy-mm-dd`, or another key if the service uses one. */
type DayStats = ReturnType<typeof listDays>[number];

const longestHours = 90 * 24;

/** Reads the service's figures of one device. @throws codes of `Session.call` */
export async function readDeviceStats(
  session: Session,
  client: NamedClient,
  askedHours: number,
): Promise<DeviceStats> {
  const { clientId } = client;
  const isLongest = askedHours === longestHours;
  const lookbackHours = isLongest || session.profile.lookbackUnit === 'day' ? 24 : 1;
  const answer = isLongest
    ? await session.call('providerLast90', { clientId })
    : await session.call('providerLastN', { clientId, lastN: askedHours });
  return viewDeviceStats(answer, { client, askedHours, lookbackHours });
}

/** `lookbackHours` is the length of the unit that `lookback` counts. */
export function viewDeviceStats(
  answer: Answer,
  {
    client,
    askedHours,
    lookbackHours,
  }: { client: NamedClient; askedHours: number; lookbackHours: number },
) {
  const { lookback } = answer;
  // A part of a unit counts as one, although only the hours that were asked for are reported.
  const isAsAsked = lookback === Math.ceil(askedHours / lookbackHours);
  const windowHours = isAsAsked ? askedHours : lookback && lookback * lookbackHours;
  const days = listDays(answer);
  return {
    scope: 'device' as const,
    clientId: client.clientId,
    name: client.name || undefined,
    askedHours,
    windowHours,
    createdAt: answer.createdTime,
    totals: sumFigures(days, windowHours),
    days,
    hours: listHours(answer.uptime),
    /** Consumers with the most transfer come first. */
    consumers: answer.clientDetails
      .map(viewConsumer)
      .toSorted((one, other) => (other.transferGib ?? 0) - (one.transferGib ?? 0)),
    /** What this device counted itself; undefined for another device, and without a ledger. */
    here: undefined as HereStats | undefined,
  };
}

const hourKey = /^(\d{4}-\d{2}-\d{2})-([01]\d|2[0-3])$/;

/**
 * A row for every day that any of the figures names, oldest first. Minutes online are given by the
 * hour or by the day.
 */
function listDays({ uptime, transferData, payout, searchInterest, contracts, clients }: Answer) {
  const minutes = Map.groupBy(Object.entries(uptime), ([key]) => hourKey.exec(key)?.[1] ?? key);
  const others = [transferData, payout, searchInterest, contracts, clients].flatMap((figures) =>
    Object.keys(figures),
  );
  return [...new Set([...minutes.keys(), ...others])].toSorted().map((day) => {
    const uptimeMinutes = sumKnown((minutes.get(day) ?? []).map(([, own]) => own));
    return {
      day,
      uptimeHours: uptimeMinutes && uptimeMinutes / 60,
      transferGib: transferData[day],
      payoutUsdc: payout[day],
      searchInterest: searchInterest[day],
      contracts: contracts[day],
      consumers: clients[day],
    };
  });
}

/** Oldest first; empty if the service gives days only. */
function listHours(uptime: Answer['uptime']) {
  return Object.entries(uptime)
    .flatMap(([key, uptimeMinutes]) => {
      const [, day, hour] = hourKey.exec(key) ?? [];
      return day === undefined ? [] : [{ startAt: `${day}T${hour}:00:00.000Z`, uptimeMinutes }];
    })
    .toSorted((one, other) => (one.startAt < other.startAt ? -1 : 1));
}

function viewConsumer({ clientId, transferData }: Answer['clientDetails'][number]) {
  const days = Object.entries(transferData)
    .map(([day, transferGib]) => ({ day, transferGib }))
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));
  return { clientId, transferGib: sumKnown(days.map((own) => own.transferGib)), days };
}

/**
 * What this device counted in the window of the service's answer, oldest day first, and why the two
 * may differ.
 */
export type HereStats = ReturnType<typeof compareDays>;
/**
 * A day as this device counted it. A difference is the service's figure less ours, as a share of
 * ours.
 */
export type HereDay = HereStats['days'][number];

export const hereReasons = {
  'uptime-undercounted':
    'The service counts no time while the mode changes or while it does not see the device, so its uptime is usually a little less.',
  'history-purged':
    'The service keeps its history only for a while: older days come from this device alone.',
  'still-counting': 'Today is not over yet, and the service counts with a delay.',
  'downloads-left-out':
    "These figures of the service leave out what consumers download by the network's own protocol. What it pays for is in: tributary account provided",
} as const;

const worthSaying = 0.02;

/**
 * The days that this device counted beside the service's days, also days that the service has
 * forgotten.
 * @throws state-unreadable
 */
export async function readHere(
  stats: DeviceStats,
  place: HistoryPlace & Pick<Comparison, 'profile'>,
): Promise<HereStats | undefined> {
  const { readHistory } = await import('../../../report/history.ts');
  const { clipHours, findMoment } = await import('../../../report/same-moment.ts');
  const sinceMs = startOfHour(place.nowMs - (stats.windowHours ?? stats.askedHours) * hourMs);
  const hours = await readHistory({ unit: 'hour', sinceMs }, place);
  // Only our record contains what came later.
  const untilMs = findMoment(stats.createdAt, place.nowMs);
  const own = sumDays(clipHours(hours, { sinceMs, untilMs, nowMs: place.nowMs }));
  if (own.length === 0) return undefined;
  const today = new Date(place.nowMs).toISOString().slice(0, 10);
  return compareDays(stats.days, own, { today, profile: place.profile });
}

interface Comparison {
  /** `yyyy-mm-dd`. */
  readonly today: string;
  readonly profile: ProfileName;
}

/** Compares the days of both. */
export function compareDays(
  service: readonly DayStats[],
  own: readonly LocalDay[],
  { today, profile }: Comparison,
) {
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
      (own) =>
        own.day === today &&
        (isWorthSaying(own.uptimeDifference) || isWorthSaying(own.transferDifference)),
    ),
    'downloads-left-out':
      profile === 'production' &&
      days.some(({ transferDifference = 0 }) => transferDifference < -worthSaying),
  };
  return {
    days,
    reasons: (Object.keys(found) as (keyof typeof found)[]).filter((reason) => found[reason]),
  };
}
