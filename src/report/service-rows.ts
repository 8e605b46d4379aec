import { GIB } from '../lib/units.ts';
import type { OperationResponse } from '../service/operations.ts';
import type { LedgerFile } from './ledger-file.ts';
import { type Area, areas, type serviceLayout, toOffset, unitMs } from './ledger-places.ts';
import { encodeRecord } from './ledger-record.ts';

/** What the service counted in an hour or a day; undefined where it said nothing. */
interface ServiceRow {
  /** Its start in whole hours or days since 1970. */
  readonly number: number;
  readonly onlineSeconds: number | undefined;
  readonly bytes: number | undefined;
  readonly payoutMicroUsdc: number | undefined;
}

export interface ServiceRows {
  readonly hours: readonly ServiceRow[];
  readonly days: readonly ServiceRow[];
}

type Answer = Pick<OperationResponse<'providerLastN'>, 'uptime' | 'transferData' | 'payout'>;

/**
 * The rows of an answer: minutes online by hour, or by day where the service tells no more; transfer and payout by day.
 * A day that began before `sinceMs` was not asked for as a whole, and is left out.
 */
export function toServiceRows({ uptime, transferData, payout }: Answer, sinceMs: number): ServiceRows {
  const hours = Object.entries(uptime).flatMap(([key, minutes]) => {
    const startMs = toHourMs(key);
    return startMs === undefined ? [] : [{ ...nothing, number: startMs / unitMs.hour, onlineSeconds: minutes * 60 }];
  });
  const onlineByDay = new Map<number, number>();
  for (const [key, minutes] of Object.entries(uptime)) {
    const day = toDayNumber(key.slice(0, 10));
    if (day !== undefined) onlineByDay.set(day, (onlineByDay.get(day) ?? 0) + minutes * 60);
  }
  const bytesByDay = toByDay(transferData, GIB);
  const payoutByDay = toByDay(payout, 1e6);
  const numbers = [...new Set([...onlineByDay.keys(), ...bytesByDay.keys(), ...payoutByDay.keys()])];
  const days = numbers
    .filter((number) => number * unitMs.day >= sinceMs)
    .map((number) => ({
      number,
      onlineSeconds: onlineByDay.get(number),
      bytes: bytesByDay.get(number),
      payoutMicroUsdc: payoutByDay.get(number),
    }));
  return { hours, days };
}

const nothing = { bytes: undefined, payoutMicroUsdc: undefined } as const;
const hourKey = /^(\d{4}-\d{2}-\d{2})-([01]\d|2[0-3])$/;

/** When the hour of a key `yyyy-mm-dd-hh` begins; undefined for any other key. */
function toHourMs(key: string): number | undefined {
  const [, day, hour] = hourKey.exec(key) ?? [];
  const atMs = Date.parse(`${day}T${hour}:00:00.000Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function toDayNumber(key: string): number | undefined {
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(key) ? Date.parse(key) : Number.NaN;
  return Number.isNaN(atMs) || atMs < 0 ? undefined : atMs / unitMs.day;
}

function toByDay(figures: Readonly<Record<string, number>>, factor: number): ReadonlyMap<number, number> {
  return new Map(
    Object.entries(figures).flatMap(([key, value]) => {
      const day = toDayNumber(key);
      return day === undefined || value < 0 ? [] : [[day, value * factor] as const];
    }),
  );
}

/** Writes those that the file does not have like this already. @throws state-unreadable, state-unwritable */
export async function writeServiceRows(file: LedgerFile, { hours, days }: ServiceRows): Promise<void> {
  await writeChanged(file, areas.serviceHour, hours);
  await writeChanged(file, areas.serviceDay, days);
}

/** Neighbours in one write: they share a page of the disk. */
async function writeChanged(
  file: LedgerFile,
  area: Area<keyof typeof serviceLayout>,
  rows: readonly ServiceRow[],
): Promise<void> {
  const numbers = rows.map(({ number }) => number);
  if (numbers.length === 0) return;
  const found = await file.find(area, Math.min(...numbers), Math.max(...numbers));
  const known = new Map(found.map(({ values, offset }) => [values.number, encodeRecord(area.layout, values, offset)]));
  const changed = rows
    .map((row) => ({ offset: toOffset(area, row.number, 0), number: row.number, row }))
    .map(({ offset, number, row }) => ({ offset, number, record: encodeRecord(area.layout, { ...row }, offset) }))
    .filter(({ number, record }) => known.get(number)?.equals(record) !== true)
    .toSorted((one, other) => one.offset - other.offset);
  for (const { offset, record } of joinNeighbours(changed)) await file.writeSpan(offset, record);
}

interface Piece {
  readonly offset: number;
  readonly record: Buffer;
}

function joinNeighbours(pieces: readonly Piece[]): readonly Piece[] {
  const joined: { offset: number; record: Buffer }[] = [];
  for (const { offset, record } of pieces) {
    const before = joined.at(-1);
    if (before !== undefined && before.offset + before.record.length === offset) {
      before.record = Buffer.concat([before.record, record]);
    } else {
      joined.push({ offset, record });
    }
  }
  return joined;
}
