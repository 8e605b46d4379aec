import { join } from 'node:path';
import { createPlaceFile, type PlaceFile } from '../system/place-file.ts';
import type { OnSetAside } from '../system/state-file.ts';
import {
  type Area,
  areas,
  type countedLayout,
  type Found,
  findRecords,
  header,
  toOffset,
  toSpans,
} from './ledger-places.ts';
import { encodeRecord, type RecordValues, recordBytes } from './ledger-record.ts';

/** The ledger's file by rows. */
export interface LedgerFile {
  /** Whole records of rows from one number to another, both included, in no order. @throws state-unreadable */
  find<Name extends string>(area: Area<Name>, first: number, last: number): Promise<readonly Found<Name | 'number'>[]>;
  /** Everything in an area, a part of it at a time. @throws state-unreadable */
  scan<Name extends string>(area: Area<Name>): AsyncGenerator<Found<Name | 'number'>>;
  /** @throws state-unwritable */
  write<Name extends string>(
    area: Area<Name>,
    values: RecordValues<Name | 'number'> & { readonly number: number },
    copy: number,
  ): Promise<void>;
  /** The places of neighbouring rows in one write. @throws state-unwritable */
  writeSpan(start: number, bytes: Buffer): Promise<void>;
}

const scanBytes = 65_536;

/** `ledger.bin` in the state directory. */
export function openLedgerFile(directory: string, onSetAside: OnSetAside): LedgerFile {
  const file: PlaceFile = createPlaceFile({ path: join(directory, 'ledger.bin'), header, onSetAside });
  return {
    async find(area, first, last) {
      const kept = Math.max(0, first, last - area.rows + 1);
      const spans = toSpans(area, kept, last);
      const parts = await Promise.all(
        spans.map(async ({ start, end }) => ({ start, bytes: await file.read(start, end) })),
      );
      return parts
        .flatMap(({ start, bytes }) => [...findRecords(area, start, bytes)])
        .filter(({ values }) => values.number >= kept && values.number <= last);
    },
    async *scan(area) {
      const end = toOffset(area, area.rows - 1, area.copies - 1) + recordBytes;
      for (let start = area.offset; start < end; start += scanBytes) {
        yield* findRecords(area, start, await file.read(start, Math.min(end, start + scanBytes)));
      }
    },
    async write(area, values, copy) {
      const offset = toOffset(area, values.number, copy);
      await file.write(offset, encodeRecord(area.layout, values, offset));
    },
    writeSpan: (start, bytes) => file.write(start, bytes),
  };
}

/** The row that was written last; undefined in an empty ledger. @throws state-unreadable */
export async function findLast(file: LedgerFile): Promise<Found<keyof typeof countedLayout> | undefined> {
  let last: Found<keyof typeof countedLayout> | undefined;
  for await (const found of file.scan(areas.hour)) {
    if (last === undefined || (last.values.sequence ?? 0) < (found.values.sequence ?? 0)) last = found;
  }
  return last;
}

/** The best copy of each row: the one that was written last. */
export function toNewestCopies<F extends Found<'number' | 'sequence'>>(found: readonly F[]): ReadonlyMap<number, F> {
  const best = new Map<number, F>();
  for (const own of found) {
    const other = best.get(own.values.number);
    if (other === undefined || (other.values.sequence ?? 0) < (own.values.sequence ?? 0))
      best.set(own.values.number, own);
  }
  return best;
}

/** Which copy of its row a record is. */
export function toCopy(found: Found<'number'>): number {
  return found.offset === toOffset(areas.hour, found.values.number, 1) ? 1 : 0;
}
