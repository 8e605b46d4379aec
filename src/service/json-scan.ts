const mostDepth = 32;
/**
 * The weight of an object or list, where a plain value weighs 1. It takes more than two KiB of
 * memory while it is checked.
 */
const nestedWeight = 4;

const quote = 0x22;
const backslash = 0x5c;
const [comma, openList, closeList, openObject, closeObject] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

const begun = { depth: 0, deepest: 0, weight: 0, isText: false, isEscaped: false };

/**
 * Follows a JSON text byte by byte. `mostWeight` is the limit for one object or list with
 * everything inside it.
 */
export function createJsonScan(mostWeight: number) {
  const progress = { ...begun };
  let isClosed = true;
  return {
    /**
     * The index after the object, list or text that began first; the end of the bytes if it goes
     * on.
     */
    follow(bytes: Buffer, start: number): number {
      if (isClosed) Object.assign(progress, begun);
      isClosed = false;
      let index = start;
      while (index < bytes.length && !isClosed) {
        const byte = bytes[index] ?? 0;
        if (!progress.isText) {
          stepOutside(progress, byte);
          index += 1;
        } else if (progress.isEscaped) {
          progress.isEscaped = false;
          index += 1;
        } else index = skipText(progress, bytes, index);
        isClosed = progress.depth <= 0 && !progress.isText;
      }
      return index;
    },
    /** True once the followed value is closed; the next `follow` begins another. */
    isClosed: () => isClosed,
    /**
     * True for more structure than is accepted: an empty object takes a thousand times the memory
     * of its text.
     */
    isTooMuch: () => progress.deepest > mostDepth || progress.weight > mostWeight,
  };
}

function stepOutside(progress: typeof begun, byte: number): void {
  if (byte === quote) progress.isText = true;
  else if (byte === comma) progress.weight += 1;
  else if (byte === openList || byte === openObject) {
    progress.weight += nestedWeight;
    progress.depth += 1;
    progress.deepest = Math.max(progress.deepest, progress.depth);
  } else if (byte === closeList || byte === closeObject) progress.depth -= 1;
}

/**
 * The index after the next quote or backslash. Other characters, of which there may be millions,
 * are skipped at once.
 */
function skipText(progress: typeof begun, bytes: Buffer, start: number): number {
  const found = bytes.indexOf(quote, start);
  const end = found === -1 ? bytes.length : found;
  const escaping = bytes.subarray(start, end).indexOf(backslash);
  progress.isEscaped = escaping !== -1;
  progress.isText = escaping !== -1 || found === -1;
  return escaping === -1 ? Math.min(end + 1, bytes.length) : start + escaping + 1;
}
