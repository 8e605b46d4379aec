/*
 * Prefixes of IPv4 as one number each. A hundred thousand of them are sorted, merged and written in
 * a moment, also by an agent that goes without the JavaScript engine's compilers: so these loops
 * count, and make nothing that has to be collected.
 */

/** 64 × the first address + the length: sorted, a wide prefix comes before those inside it. */
export type PackedPrefix = number;

const lengths = 64;
const addresses = 2 ** 32;

/**
 * The prefix around this address, of four parts. undefined where one of them is above 255 or the
 * length above 32.
 */
export function packPrefix(address: readonly string[], length: number): PackedPrefix | undefined {
  let number = 0;
  for (let index = 0; index < 4; index += 1) {
    const part = Number(address[index]);
    if (!(part <= 255)) return undefined;
    number = number * 256 + part;
  }
  if (length > 32) return undefined;
  return (number - (number % 2 ** (32 - length))) * lengths + length;
}

export function lengthOf(prefix: PackedPrefix): number {
  return prefix % lengths;
}

/** The fewest prefixes that cover what the given ones do, no more and no less, sorted. */
export function mergePrefixes(prefixes: Float64Array): Float64Array {
  const sorted = prefixes.toSorted();
  const merged: PackedPrefix[] = [];
  let [first, end] = [0, 0];
  for (let index = 0; index < sorted.length; index += 1) {
    const prefix = sorted[index] ?? 0;
    const length = prefix % lengths;
    const start = (prefix - length) / lengths;
    const stop = start + 2 ** (32 - length);
    if (start > end) {
      cutRange(first, end, merged);
      first = start;
      end = stop;
    } else if (stop > end) end = stop;
  }
  cutRange(first, end, merged);
  return Float64Array.from(merged);
}

/** Adds the prefixes that cover the addresses from `first` up to the one before `end`. */
function cutRange(first: number, end: number, into: PackedPrefix[]): void {
  for (let address = first; address < end; ) {
    // A prefix begins at a multiple of its size; the lowest bit that is set is the widest such.
    let size = address === 0 ? addresses : (address & -address) >>> 0;
    while (address + size > end) size /= 2;
    into.push(address * lengths + Math.clz32(size) + (size === addresses ? -32 : 1));
    address += size;
  }
}

/**
 * The prefixes as nft takes them, in their order, at most so many in one text: `192.0.2.0/24,
 * 198.51.100.7`.
 */
export function toChunks(
  prefixes: Float64Array,
  { most, hasLength }: { readonly most: number; readonly hasLength: boolean },
): readonly string[] {
  const chunks: string[] = [];
  let texts: string[] = [];
  let [before, network] = [-1, ''];
  for (let index = 0; index < prefixes.length; index += 1) {
    const prefix = prefixes[index] ?? 0;
    const length = prefix % lengths;
    const address = (prefix - length) / lengths;
    const upper = address >>> 8;
    if (upper !== before) {
      before = upper;
      network = `${upper >>> 16}.${(upper >>> 8) & 255}.${upper & 255}.`;
    }
    const text = `${network}${address & 255}`;
    texts.push(hasLength && length < 32 ? `${text}/${length}` : text);
    if (texts.length < most && index + 1 < prefixes.length) continue;
    chunks.push(texts.join(', '));
    texts = [];
  }
  return chunks;
}
