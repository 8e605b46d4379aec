/** The Internet's checksum: the complement of the sum of 16-bit words in ones' complement. */

/** Adds the words of a part to a sum; the sum of a whole packet stays far below 2^53. */
export function addWords(
  sum: number,
  bytes: Buffer,
  of: { readonly from: number; readonly to: number },
): number {
  if (of.to - of.from >= worthAView) return addLong(sum, bytes, of);
  let total = sum;
  let at = of.from;
  for (const last = of.to - 1; at < last; at += 2)
    total += ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  if (at < of.to) total += (bytes[at] as number) << 8;
  return total;
}

/** Where a view that reads four bytes at once, in any place, has paid for being made. */
const worthAView = 256;

/** Takes two thirds of the time, which is the largest part of what cutting a packet takes. */
function addLong(
  sum: number,
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, to - from);
  const whole = view.byteLength & ~3;
  let swapped = 0;
  for (let at = 0; at < whole; at += 4) {
    const two = view.getInt32(at, true);
    swapped += (two & 0xffff) + (two >>> 16);
  }
  // The low byte of each word was read first, so the bytes of their sum change places, too.
  const folded = foldSum(swapped);
  return addWords(sum + (((folded & 0xff) << 8) | (folded >> 8)), bytes, {
    from: from + whole,
    to,
  });
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
 * is what `exchange` gives.
 */
export function updateChecksum(checksum: number, change: number): number {
  return toChecksum((~checksum & 0xffff) + change);
}

/** Writes a part of whole words there, and gives the difference to what was there before. */
export function exchange(bytes: Buffer, at: number, part: Buffer): number {
  let change = 0;
  for (let word = 0; word < part.length; word += 2) {
    const after = part.readUInt16BE(word);
    change += (~bytes.readUInt16BE(at + word) & 0xffff) + after;
    bytes.writeUInt16BE(after, at + word);
  }
  return change;
}
