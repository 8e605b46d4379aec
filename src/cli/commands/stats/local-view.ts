import { toUndefined } from '../../../errors/codes.ts';
import { dayMs, hourMs } from '../../../lib/units.ts';
import type { HistoryPlace, HistoryRow } from '../../../report/history.ts';
import { addFigures, type Figures, pickFigures } from '../../../report/ledger-figures.ts';
import { divide, sumKnown } from './figures.ts';

/** What this device counted, as `stats --local --json` shows it. */
export type LocalStats = Awaited<ReturnType<typeof readLocalStats>>;

/** A day, `yyyy-mm-dd`, beside the service's count of it, as far as that is known. */
export type LocalDay = ReturnType<typeof toLocalDay>;

/** Up to this many hours a window begins at an hour, beyond that at a day. */
const mostHoursByHour = 48;
const mostHoursWithHours = 7 * 24;

/** Reads this device's own record. @throws state-unreadable */
export async function readLocalStats(
  place: HistoryPlace,
  askedHours: number,
  serviceProblem: { readonly code: string; readonly message: string } | undefined,
) {
  const { readHistory } = await import('../../../report/history.ts');
  const isByHour = askedHours <= mostHoursByHour;
  const [unitMs, count] = isByHour ? [hourMs, askedHours] : [dayMs, Math.ceil(askedHours / 24)];
  const sinceMs = (Math.floor(place.nowMs / unitMs) + 1 - count) * unitMs;
  const hours =
    askedHours <= mostHoursWithHours ? await readHistory({ unit: 'hour', sinceMs }, place) : [];
  const days = sumDays(isByHour ? hours : await readHistory({ unit: 'day', sinceMs }, place));
  const firstMs = hours[0]?.startMs ?? (days[0] && Date.parse(days[0].day));
  const countedSinceMs = firstMs === undefined ? undefined : Math.max(sinceMs, firstMs);
  const totals = sumFigures(days);
  const countedSeconds = Math.max(0, place.nowMs - (countedSinceMs ?? place.nowMs)) / 1000;
  const share = divide(totals.providingSeconds, countedSeconds);
  return {
    scope: 'local' as const,
    askedHours,
    /** The beginning of what is shown: an hour for up to two days, otherwise a day of UTC. */
    since: new Date(sinceMs).toISOString(),
    /** Where the record begins, if that is later; undefined if nothing was counted. */
    countedSince: countedSinceMs === undefined ? undefined : new Date(countedSinceMs).toISOString(),
    /** Why the service could not be asked instead; undefined if this record was asked for. */
    serviceProblem,
    totals: { ...totals, providingShare: share && Math.min(1, share) },
    hours: hours.map((row) => ({ startAt: new Date(row.startMs).toISOString(), ...toSeen(row) })),
    /** Oldest first; days on which no agent ran are left out. */
    days,
    /** By the network's own protocol, whatever was asked for; undefined where nothing was. */
    carried: await readCarried(place),
  };
}

async function readCarried({ directory, nowMs }: HistoryPlace) {
  const { peekKeptSums } = await import('../../../source/connect/kept-sums.ts');
  const now = () => new Date(nowMs);
  // A file that is broken is the agent's to set aside, and no reason to show nothing else.
  const sums = await peekKeptSums({ directory, now }).catch(toUndefined('state-unreadable'));
  return sums && { ...sums, countedSince: sums.countedSince?.toISOString() };
}

/** Adds hours or days of the ledger up to days. */
export function sumDays(rows: readonly HistoryRow[]): readonly LocalDay[] {
  return sumBy(rows.map(toLocalDay), ({ day }) => day);
}

/** Days added up under a new name. By the hour the service only says how long it saw the device. */
export function sumBy(
  days: readonly LocalDay[],
  rename: (day: LocalDay) => string,
): readonly LocalDay[] {
  return [...Map.groupBy(days, rename)].map(([day, own]) => {
    const sum = (name: keyof LocalDay['service']) =>
      sumKnown(own.map(({ service }) => service[name]));
    const service = {
      onlineSeconds: sum('onlineSeconds'),
      bytes: sum('bytes'),
      payoutUsdc: sum('payoutUsdc'),
    };
    return { day, ...sumFigures(own), service };
  });
}

function toLocalDay(row: HistoryRow) {
  const {
    serviceOnlineSeconds: onlineSeconds,
    serviceBytes: bytes,
    servicePayoutUsdc: payoutUsdc,
  } = row;
  const day = new Date(row.startMs).toISOString().slice(0, 10);
  return { day, ...toSeen(row), service: { onlineSeconds, bytes, payoutUsdc } };
}

/** Sums of all rows; the peak is the highest one. */
function sumFigures(rows: readonly ReturnType<typeof toSeen>[]) {
  return toSeen(rows.reduce<Figures>(addFigures, pickFigures({})));
}

/**
 * The peak is unknown if the agent was killed before it wrote the speed, because the kernel only
 * kept the bytes.
 */
function toSeen(row: Partial<Figures>) {
  const { peakBytesPerSecond: peak, ...figures } = pickFigures(row);
  return {
    ...figures,
    peakBytesPerSecond: peak === 0 && figures.upBytes + figures.downBytes > 0 ? undefined : peak,
  };
}
