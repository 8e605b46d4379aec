import * as z from 'zod';
import { type HistoryPlace, type HistoryRow, readHistory } from '../../report/history.ts';
import { type LedgerRow, noGrowth } from '../../report/ledger-row.ts';
import type { CommandContext, PathOptions } from '../context.ts';

/** What this device counted itself, as `stats --local --json` shows it. */
export interface LocalStats {
  readonly scope: 'local';
  readonly askedHours: number;
  /** ISO 8601: from then until now is what is shown; up to two days by the hour, beyond that whole days of UTC. */
  readonly since: string;
  /** Where the record begins, if that is later; null where nothing was counted. */
  readonly countedSince: string | null;
  /** Why the service was not asked instead; null where this was asked for. */
  readonly serviceProblem: { readonly code: string; readonly message: string } | null;
  readonly totals: LocalFigures & { readonly providingShare: number | null };
  /** Oldest first; up to seven days have them. */
  readonly hours: readonly (LocalFigures & { readonly startAt: string })[];
  /** Oldest first; days on which no agent ran are left out. */
  readonly days: readonly LocalDay[];
}

export interface LocalFigures {
  readonly providingSeconds: number;
  readonly upBytes: number;
  readonly downBytes: number;
  readonly refusedPackets: number;
  readonly peakBytesPerSecond: number;
}

export interface LocalDay extends LocalFigures {
  /** `yyyy-mm-dd`. */
  readonly day: string;
  /** What the service counted on that day, as far as it said so. */
  readonly service: {
    readonly onlineSeconds: number | null;
    readonly bytes: number | null;
    readonly payoutUsdc: number | null;
  };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Up to here a window begins at an hour, beyond it at a day. */
const mostHoursByHour = 48;
const mostHoursWithHours = 7 * 24;

/** @throws state-unreadable */
export async function readLocalStats(
  place: HistoryPlace,
  given: { readonly askedHours: number; readonly serviceProblem: LocalStats['serviceProblem'] },
): Promise<LocalStats> {
  const { askedHours, serviceProblem } = given;
  const sinceMs = toSinceMs(askedHours, place.nowMs);
  const isByHour = askedHours <= mostHoursByHour;
  const hours = askedHours <= mostHoursWithHours ? await readHistory({ unit: 'hour', sinceMs }, place) : [];
  const days = isByHour ? joinHours(hours) : (await readHistory({ unit: 'day', sinceMs }, place)).map(toLocalDay);
  const figures = isByHour ? hours : days;
  const firstMs = hours[0]?.startMs ?? (days[0] === undefined ? undefined : Date.parse(days[0].day));
  const totals = figures.map(toFigures).reduce(addFigures, toFigures({ ...noGrowth }));
  const countedSeconds = firstMs === undefined ? 0 : (place.nowMs - Math.max(sinceMs, firstMs)) / 1000;
  return {
    scope: 'local',
    askedHours,
    since: new Date(sinceMs).toISOString(),
    countedSince: firstMs === undefined ? null : new Date(Math.max(sinceMs, firstMs)).toISOString(),
    serviceProblem,
    totals: {
      ...totals,
      providingShare: countedSeconds <= 0 ? null : Math.min(1, totals.providingSeconds / countedSeconds),
    },
    hours: hours.map((row) => ({ startAt: new Date(row.startMs).toISOString(), ...toFigures(row) })),
    days,
  };
}

function toSinceMs(hours: number, nowMs: number): number {
  if (hours <= mostHoursByHour) return Math.floor(nowMs / hourMs) * hourMs - (hours - 1) * hourMs;
  return Math.floor(nowMs / dayMs) * dayMs - (Math.ceil(hours / 24) - 1) * dayMs;
}

/** The sums of hours by day; of the service there are minutes alone by the hour. */
export function joinHours(hours: readonly HistoryRow[]): readonly LocalDay[] {
  const days = new Map<string, LocalDay>();
  for (const hour of hours) {
    const day = toDayName(hour.startMs);
    const before = days.get(day);
    const onlineSeconds = hour.serviceOnlineSeconds ?? null;
    const known = before?.service.onlineSeconds ?? null;
    days.set(day, {
      day,
      ...(before === undefined ? toFigures(hour) : addFigures(before, hour)),
      service: {
        onlineSeconds: known === null ? onlineSeconds : known + (onlineSeconds ?? 0),
        bytes: null,
        payoutUsdc: null,
      },
    });
  }
  return [...days.values()];
}

function toLocalDay(row: HistoryRow): LocalDay {
  return {
    day: toDayName(row.startMs),
    ...toFigures(row),
    service: {
      onlineSeconds: row.serviceOnlineSeconds ?? null,
      bytes: row.serviceBytes ?? null,
      payoutUsdc: row.servicePayoutUsdc ?? null,
    },
  };
}

function toDayName(startMs: number): string {
  return new Date(startMs).toISOString().slice(0, 10);
}

function toFigures(row: LocalFigures): LocalFigures {
  const { providingSeconds, upBytes, downBytes, refusedPackets, peakBytesPerSecond } = row;
  return { providingSeconds, upBytes, downBytes, refusedPackets, peakBytesPerSecond };
}

/** The sum of both; the peak is the higher of the two. */
export function addFigures(one: LocalFigures, other: LocalFigures): LocalFigures {
  return {
    providingSeconds: one.providingSeconds + other.providingSeconds,
    upBytes: one.upBytes + other.upBytes,
    downBytes: one.downBytes + other.downBytes,
    refusedPackets: one.refusedPackets + other.refusedPackets,
    peakBytesPerSecond: Math.max(one.peakBytesPerSecond, other.peakBytesPerSecond),
  };
}

const count = z.number().min(0);
const historyAnswer = z.object({
  rows: z.array(
    z.object({
      start: z.iso.datetime(),
      providingSeconds: count,
      upBytes: count,
      downBytes: count,
      refusedPackets: count,
    }),
  ),
});

/** The ledger is written once an hour at rest: a running agent knows of more. None where none runs or answers. */
export async function readUnwritten(options: PathOptions, context: CommandContext): Promise<readonly LedgerRow[]> {
  const sinceMs = Math.floor(context.now().getTime() / hourMs) * hourMs - hourMs;
  try {
    const { askAgent } = await import('../../status/socket-client.ts');
    const path = `/history.json?unit=hour&since=${new Date(sinceMs).toISOString()}`;
    const { rows } = historyAnswer.parse(
      await askAgent(await context.resolveSocketPaths(options), { method: 'GET', path }),
    );
    return rows.map(({ start, ...row }) => {
      return { ...noGrowth, ...row, number: Math.floor(Date.parse(start) / hourMs), totals: noGrowth };
    });
  } catch {
    return [];
  }
}
