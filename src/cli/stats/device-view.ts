import type { OperationResponse } from '../../service/operations.ts';
import type { NamedClient } from '../choose-client.ts';
import type { Session } from '../session.ts';
import type { HereStats } from './here.ts';
import { sumKnown } from './window.ts';

/** What one device did, as `stats --client … --json` shows it; null where the service says nothing. */
export interface DeviceStats {
  readonly scope: 'device';
  readonly clientId: string;
  readonly name: string | null;
  /** What was asked for. */
  readonly askedHours: number;
  /** What the service answered about. */
  readonly windowHours: number | null;
  /** When the service made the figures. */
  readonly createdAt: string | null;
  /** Consumers are left out: one that came on two days would count twice. */
  readonly totals: Omit<DayFigures, 'consumers'> & { readonly uptimeShare: number | null };
  /** Oldest first; days of which the service says nothing are left out. */
  readonly days: readonly DayStats[];
  /** Oldest first; none where the service tells days only. */
  readonly hours: readonly HourStats[];
  /** Those with the most transfer first. */
  readonly consumers: readonly ConsumerStats[];
  /** The same device as it counted itself; null for another device, and without a ledger. */
  readonly here: HereStats | null;
}

interface DayFigures {
  readonly uptimeHours: number | null;
  readonly transferGib: number | null;
  readonly payoutUsdc: number | null;
  readonly searchInterest: number | null;
  readonly contracts: number | null;
  readonly consumers: number | null;
}

/** One day of a device. */
export interface DayStats extends DayFigures {
  /** `yyyy-mm-dd`, or whatever else the service goes by. */
  readonly day: string;
}

interface HourStats {
  /** ISO 8601. */
  readonly startAt: string;
  readonly uptimeMinutes: number;
}

interface ConsumerStats {
  readonly clientId: string | null;
  readonly transferGib: number | null;
  readonly days: readonly { readonly day: string; readonly transferGib: number }[];
}

type Answer = Omit<OperationResponse<'providerLastN'>, 'error'>;

const longestHours = 90 * 24;

/** @throws codes of `Session.call` */
export async function readDeviceStats(session: Session, client: NamedClient, askedHours: number): Promise<DeviceStats> {
  const { clientId } = client;
  if (askedHours === longestHours) {
    const answer = await session.call('providerLast90', { clientId });
    return toDeviceStats(answer, { client, askedHours, lookbackHours: 24 });
  }
  const lookbackHours = session.profile.lookbackUnit === 'day' ? 24 : 1;
  const answer = await session.call('providerLastN', { clientId, lastN: Math.ceil(askedHours / lookbackHours) });
  return toDeviceStats(answer, { client, askedHours, lookbackHours });
}

/** `lookbackHours`: how long one of what `lookback` counts is. */
export function toDeviceStats(
  answer: Answer,
  given: { readonly client: NamedClient; readonly askedHours: number; readonly lookbackHours: number },
): DeviceStats {
  const windowHours = answer.lookback === undefined ? null : answer.lookback * given.lookbackHours;
  const days = toDays(answer);
  return {
    scope: 'device',
    clientId: given.client.clientId,
    name: given.client.name || null,
    askedHours: given.askedHours,
    windowHours,
    createdAt: answer.createdTime ?? null,
    totals: toTotals(days, windowHours),
    days,
    hours: toHours(answer.uptime),
    consumers: answer.clientDetails.map(toConsumer).toSorted((one, other) => toGib(other) - toGib(one)),
    here: null,
  };
}

type Figures = Readonly<Record<string, number>>;

/** One row for every day that any of the figures names. Minutes online come by the hour, or by the day. */
function toDays(answer: Answer): readonly DayStats[] {
  const minutes = sumByDay(answer.uptime);
  const others = [answer.transferData, answer.payout, answer.searchInterest, answer.contracts, answer.clients];
  const days = new Set([...minutes.keys(), ...others.flatMap((figures) => Object.keys(figures))]);
  return [...days].toSorted().map((day) => {
    const uptimeMinutes = minutes.get(day);
    return {
      day,
      uptimeHours: uptimeMinutes === undefined ? null : uptimeMinutes / 60,
      transferGib: answer.transferData[day] ?? null,
      payoutUsdc: answer.payout[day] ?? null,
      searchInterest: answer.searchInterest[day] ?? null,
      contracts: answer.contracts[day] ?? null,
      consumers: answer.clients[day] ?? null,
    };
  });
}

const hourKey = /^(\d{4}-\d{2}-\d{2})-([01]\d|2[0-3])$/;

function sumByDay(uptime: Figures): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [key, minutes] of Object.entries(uptime)) {
    const day = hourKey.exec(key)?.[1] ?? key;
    sums.set(day, (sums.get(day) ?? 0) + minutes);
  }
  return sums;
}

function toHours(uptime: Figures): readonly HourStats[] {
  return Object.entries(uptime)
    .flatMap(([key, uptimeMinutes]) => {
      const [, day, hour] = hourKey.exec(key) ?? [];
      return day === undefined ? [] : [{ startAt: `${day}T${hour}:00:00.000Z`, uptimeMinutes }];
    })
    .toSorted((one, other) => (one.startAt < other.startAt ? -1 : 1));
}

function toTotals(days: readonly DayStats[], windowHours: number | null): DeviceStats['totals'] {
  const sum = (read: (day: DayStats) => number | null) => sumKnown(days.map(read));
  const uptimeHours = sum((day) => day.uptimeHours);
  return {
    uptimeHours,
    uptimeShare: uptimeHours === null || !windowHours ? null : uptimeHours / windowHours,
    transferGib: sum((day) => day.transferGib),
    payoutUsdc: sum((day) => day.payoutUsdc),
    searchInterest: sum((day) => day.searchInterest),
    contracts: sum((day) => day.contracts),
  };
}

function toConsumer({ clientId, transferData }: Answer['clientDetails'][number]): ConsumerStats {
  const days = Object.entries(transferData)
    .map(([day, transferGib]) => ({ day, transferGib }))
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));
  return { clientId: clientId ?? null, transferGib: sumKnown(days.map((own) => own.transferGib)), days };
}

function toGib({ transferGib }: ConsumerStats): number {
  return transferGib ?? 0;
}
