import { createHash } from 'node:crypto';

/** A UUID (of the kind that is made from a name by SHA-1) as text: the same for the same path, for ever. */
export function toStableId(...path: readonly string[]): string {
  const hash = createHash('sha1').update(['tributary', ...path].join('/'));
  return toUuid(hash.digest().subarray(0, 16), 5);
}

/** UUID text of 16 bytes, which are changed for it. */
export function toUuid(bytes: Buffer, version: 4 | 5): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
