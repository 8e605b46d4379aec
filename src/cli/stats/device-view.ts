import type { OperationResponse } from '../../service/operations.ts';
import type { NamedClient } from '../choose-client.ts';
import type { Session } from '../session.ts';
import { sumFigures, sumKnown } from './figures.ts';
import type { HereStats } from './here.ts';

type Answer = Omit<OperationResponse<'providerLastN'>, 'error'>;

export type DeviceStats = ReturnType<typeof viewDeviceStats>;
/** One day of a device; `day` is `yyyy-mm-dd`, or whatever else the service goes by. */
export type DayStats = ReturnType<typeof listDays>[number];

const longestHours = 90 * 24;

/** @throws codes of `Session.call` */
export async function readDeviceStats(session: Session, client: NamedClient, askedHours: number): Promise<DeviceStats> {
  const { clientId } = client;
  const isLongest = askedHours === longestHours;
  const lookbackHours = isLongest || session.profile.lookbackUnit === 'day' ? 24 : 1;
  const answer = isLongest
    ? await session.call('providerLast90', { clientId })
    : await session.call('providerLastN', { clientId, lastN: Math.ceil(askedHours / lookbackHours) });
  return viewDeviceStats(answer, { client, askedHours, lookbackHours });
}

/** `lookbackHours`: how long one of what `lookback` counts is. */
export function viewDeviceStats(
  answer: Answer,
  { client, askedHours, lookbackHours }: { client: NamedClient; askedHours: number; lookbackHours: number },
) {
  const windowHours = answer.lookback === undefined ? undefined : answer.lookback * lookbackHours;
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
    /** Those with the most transfer first. */
    consumers: answer.clientDetails
      .map(viewConsumer)
      .toSorted((one, other) => (other.transferGib ?? 0) - (one.transferGib ?? 0)),
    /** The same device as it counted itself; undefined for another device, and without a ledger. */
    here: undefined as HereStats | undefined,
  };
}

const hourKey = /^(\d{4}-\d{2}-\d{2})-([01]\d|2[0-3])$/;

/** A row for every day that any of the figures names, oldest first. Minutes online come by the hour, or by the day. */
function listDays({ uptime, transferData, payout, searchInterest, contracts, clients }: Answer) {
  const minutes = Map.groupBy(Object.entries(uptime), ([key]) => hourKey.exec(key)?.[1] ?? key);
  const others = [transferData, payout, searchInterest, contracts, clients].flatMap((figures) => Object.keys(figures));
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

/** Oldest first; none where the service tells days only. */
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
