import { hash } from 'node:crypto';

/** Every record has so many bytes, and none lies across two sectors of a disk. */
export const recordBytes = 64;

const checksumBytes = 6;

/** The numbers of a record by name, with the bytes of each; all are whole and not negative. */
export type RecordLayout<Name extends string> = Readonly<Record<Name, FieldBytes>>;
type FieldBytes = 4 | 6 | 8;
export type RecordValues<Name extends string> = Readonly<Record<Name, number | undefined>>;

/**
 * The record for one place in the file. The checksum covers the place as well: a record that was moved is none. A number
 * that does not fit is written as the largest that does; undefined is written as all ones.
 */
export function encodeRecord<Name extends string>(
  layout: RecordLayout<Name>,
  values: RecordValues<Name>,
  offset: number,
): Buffer {
  const record = Buffer.alloc(recordBytes);
  let position = checksumBytes;
  for (const [name, bytes] of toFields(layout)) {
    writeWhole(record, values[name], position, bytes);
    position += bytes;
  }
  toChecksum(record, offset).copy(record);
  return record;
}

/** The numbers of a record; undefined for a place that is empty, torn or another's. */
export function decodeRecord<Name extends string>(
  layout: RecordLayout<Name>,
  record: Buffer,
  offset: number,
): RecordValues<Name> | undefined {
  if (record.length !== recordBytes || isEmptyPlace(record, 0)) return undefined;
  if (!toChecksum(record, offset).equals(record.subarray(0, checksumBytes))) return undefined;
  let position = checksumBytes;
  const values: Partial<Record<Name, number | undefined>> = {};
  for (const [name, bytes] of toFields(layout)) {
    values[name] = readWhole(record, position, bytes);
    position += bytes;
  }
  return values as RecordValues<Name>;
}

/** True where nothing was ever written. */
export function isEmptyPlace(bytes: Buffer, position: number): boolean {
  return bytes.readUIntBE(position, checksumBytes) === 0;
}

function toFields<Name extends string>(layout: RecordLayout<Name>): readonly [Name, FieldBytes][] {
  return Object.entries(layout) as [Name, FieldBytes][];
}

function writeWhole(record: Buffer, value: number | undefined, position: number, bytes: FieldBytes): void {
  const unknown = 256n ** BigInt(bytes) - 1n;
  const most = Math.min(Number.MAX_SAFE_INTEGER, Number(unknown - 1n));
  const whole = value === undefined ? unknown : BigInt(Math.min(most, Math.max(0, Math.round(value))));
  record.set(Buffer.from(whole.toString(16).padStart(2 * bytes, '0'), 'hex'), position);
}

function readWhole(record: Buffer, position: number, bytes: FieldBytes): number | undefined {
  const field = record.subarray(position, position + bytes);
  return field.every((byte) => byte === 255) ? undefined : Number.parseInt(field.toString('hex'), 16);
}

function toChecksum(record: Buffer, offset: number): Buffer {
  const place = Buffer.alloc(4);
  place.writeUInt32BE(offset);
  const covered = Buffer.concat([place, record.subarray(checksumBytes)]);
  return hash('sha256', covered, 'buffer').subarray(0, checksumBytes);
}
