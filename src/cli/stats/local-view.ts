import * as z from 'zod';
import { type HistoryPlace, type HistoryRow, readHistory } from '../../report/history.ts';
import { addFigures, type FigureName, type Figures, ledgerFigures, pickFigures } from '../../report/ledger-figures.ts';
import { type LedgerLine, startAt } from '../../report/ledger-line.ts';
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
  readonly totals: Figures & { readonly providingShare: number | null };
  /** Oldest first; up to seven days have them. */
  readonly hours: readonly (Figures & { readonly startAt: string })[];
  /** Oldest first; days on which no agent ran are left out. */
  readonly days: readonly LocalDay[];
}

export interface LocalDay extends Figures {
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
  const rows: readonly Figures[] = isByHour ? hours : days;
  const firstMs = hours[0]?.startMs ?? (days[0] === undefined ? undefined : Date.parse(days[0].day));
  const totals = rows.reduce(addFigures, pickFigures({}));
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
    hours: hours.map((row) => ({ startAt: new Date(row.startMs).toISOString(), ...pickFigures(row) })),
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
      ...(before === undefined ? pickFigures(hour) : addFigures(before, hour)),
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
    ...pickFigures(row),
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

const count = z.number().min(0).default(0);
const counts = Object.fromEntries([...ledgerFigures].map(({ name }) => [name, count])) as Record<
  FigureName,
  typeof count
>;
const historyAnswer = z.object({ rows: z.array(z.object({ start: z.iso.datetime(), ...counts })) });

/** What a running agent has counted and not written, which at rest it does once an hour; none where no agent answers. */
export async function readUnwritten(options: PathOptions, context: CommandContext): Promise<readonly LedgerLine[]> {
  const sinceMs = Math.floor(context.now().getTime() / hourMs) * hourMs - hourMs;
  try {
    const { askAgent } = await import('../../status/socket-client.ts');
    const path = `/history.json?unit=hour&since=${new Date(sinceMs).toISOString()}`;
    const { rows } = historyAnswer.parse(
      await askAgent(await context.resolveSocketPaths(options), { method: 'GET', path }),
    );
    return rows.map((row) => ({ start: startAt('hour', Date.parse(row.start)), ...pickFigures(row) }));
  } catch {
    return [];
  }
}
