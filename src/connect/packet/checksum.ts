/** The Internet's checksum: the complement of the sum of 16-bit words in ones' complement. */

/** Adds the words of a part to a sum; the sum of a whole packet stays far below 2^53. */
export function addWords(
  sum: number,
  bytes: Buffer,
  of: { readonly from: number; readonly to: number },
): number {
  let total = sum;
  let at = of.from;
  for (const last = of.to - 1; at < last; at += 2)
    total += ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  if (at < of.to) total += (bytes[at] as number) << 8;
  return total;
}

/** The sum in 16 bits. */
export function foldSum(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded % 0x10000) + Math.floor(folded / 0x10000);
  return folded;
}

export function toChecksum(sum: number): number {
  return ~foldSum(sum) & 0xffff;
}

/**
 * A checksum after some of the words that it covers were changed (RFC 1624, equation 3): `change`
 * is what `toChange` gives.
 */
export function updateChecksum(checksum: number, change: number): number {
  return toChecksum((~checksum & 0xffff) + change);
}

/** The difference of two parts of equal length, in words. */
export function toChange(before: Buffer, after: Buffer): number {
  let change = 0;
  for (let at = 0; at < before.length; at += 2)
    change += (~before.readUInt16BE(at) & 0xffff) + after.readUInt16BE(at);
  return change;
}
