import { decodeRecord, isEmptyPlace, type RecordLayout, type RecordValues, recordBytes } from './ledger-record.ts';

/** Milliseconds of an hour and of a day: rows begin at whole ones, in UTC. */
export const unitMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** What was counted here in an hour or a day; `number` is its start in whole units since 1970. */
export const countedLayout = {
  number: 4,
  /** Grows with every write: the largest is the row that was written last. */
  sequence: 4,
  providingSeconds: 4,
  upBytes: 6,
  downBytes: 6,
  refusedPackets: 6,
  peakBytesPerSecond: 6,
  /** The ever-growing totals up to which everything is in this row or an earlier one. */
  totalUpBytes: 8,
  totalDownBytes: 8,
  totalRefusedPackets: 6,
} as const;

/** What the service counted in an hour or a day; undefined where it said nothing. */
export const serviceLayout = { number: 4, onlineSeconds: 4, bytes: 6, payoutMicroUsdc: 6 } as const;

/** A stretch of the file: a ring of rows, each at the place that its number gives it. */
export interface Area<Name extends string> {
  readonly layout: RecordLayout<Name | 'number'>;
  readonly offset: number;
  readonly rows: number;
  /** Two where a row is written more than once: a torn write leaves the other. */
  readonly copies: 1 | 2;
}

/** 400 days, and two that a clock may be behind. */
const hourRows = 402 * 24;
const dayRows = 20 * 366;

/** What the file begins with; another format is another text. */
export const header = 'tributary ledger, format 1\n-----------------------------------\n\n';

const hoursOffset = recordBytes;
const daysOffset = hoursOffset + hourRows * 2 * recordBytes;
const serviceHoursOffset = daysOffset + dayRows * recordBytes;
const serviceDaysOffset = serviceHoursOffset + hourRows * recordBytes;

export const areas = {
  hour: { layout: countedLayout, offset: hoursOffset, rows: hourRows, copies: 2 },
  day: { layout: countedLayout, offset: daysOffset, rows: dayRows, copies: 1 },
  serviceHour: { layout: serviceLayout, offset: serviceHoursOffset, rows: hourRows, copies: 1 },
  serviceDay: { layout: serviceLayout, offset: serviceDaysOffset, rows: dayRows, copies: 1 },
} as const;

/** The file never grows beyond this, and has holes where nothing was written. */
export const ledgerBytes = serviceDaysOffset + dayRows * recordBytes;

/** Where the copy of a row lies in the file. */
export function toOffset(area: Area<string>, number: number, copy: number): number {
  return area.offset + ((number % area.rows) * area.copies + copy) * recordBytes;
}

/** A part of the file. */
export interface Span {
  readonly start: number;
  /** The first byte after it. */
  readonly end: number;
}

/** Where the rows from one number to another lie, no more than the ring has: one part, or two around its end. */
export function toSpans(area: Area<string>, first: number, last: number): readonly Span[] {
  const start = toOffset(area, first, 0);
  const end = toOffset(area, last, area.copies - 1) + recordBytes;
  if (last < first) return [];
  if (start < end) return [{ start, end }];
  const ringEnd = area.offset + area.rows * area.copies * recordBytes;
  return [
    { start, end: ringEnd },
    { start: area.offset, end },
  ];
}

/** A whole record and where it was found. */
export interface Found<Name extends string> {
  readonly values: RecordValues<Name> & { readonly number: number };
  readonly offset: number;
}

/** The whole records in a part of the file that was read; of those that are torn, and of empty places, there is none. */
export function* findRecords<Name extends string>(
  { layout }: Area<Name>,
  start: number,
  bytes: Buffer,
): Generator<Found<Name | 'number'>> {
  for (let position = 0; position + recordBytes <= bytes.length; position += recordBytes) {
    // Most places of a young file are empty: no object is made for those.
    if (isEmptyPlace(bytes, position)) continue;
    const offset = start + position;
    const values = decodeRecord(layout, bytes.subarray(position, position + recordBytes), offset);
    const number = values?.number;
    if (values !== undefined && number !== undefined) yield { values: { ...values, number }, offset };
  }
}
