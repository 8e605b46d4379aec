const mostDepth = 32;
/** What an object or list takes in memory while it is checked, more than two KiB, in the measure of a plain value. */
const nestedWeight = 4;

/** Follows a JSON text byte by byte, without reading what it says: JSON.parse judges that. */
export interface JsonScan {
  /** Index behind the object, list or text that began first, or the end of the bytes where it goes on. */
  follow(bytes: Buffer, start: number): number;
  /** True once what was followed is closed; the next `follow` begins another. */
  isClosed(): boolean;
  /** True for more structure than is taken: an empty object takes a thousand times its text. */
  isTooMuch(): boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const [comma, openList, closeList, openObject, closeObject] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

interface Progress {
  depth: number;
  deepest: number;
  weight: number;
  isText: boolean;
  isEscaped: boolean;
}

/** @param mostWeight of one object or list with all inside of it: each value weighs 1, an object or list 4 */
export function createJsonScan(mostWeight: number): JsonScan {
  const progress: Progress = { depth: 0, deepest: 0, weight: 0, isText: false, isEscaped: false };
  let isClosed = true;
  return {
    follow(bytes, start) {
      if (isClosed) Object.assign(progress, { depth: 0, deepest: 0, weight: 0 });
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
    isClosed: () => isClosed,
    isTooMuch: () => progress.deepest > mostDepth || progress.weight > mostWeight,
  };
}

function stepOutside(progress: Progress, byte: number): void {
  if (byte === quote) progress.isText = true;
  else if (byte === comma) progress.weight += 1;
  else if (byte === openList || byte === openObject) {
    progress.weight += nestedWeight;
    progress.depth += 1;
    progress.deepest = Math.max(progress.deepest, progress.depth);
  } else if (byte === closeList || byte === closeObject) progress.depth -= 1;
}

/** Index behind the next quote or backslash: letters are skipped at once, of which there may be millions. */
function skipText(progress: Progress, bytes: Buffer, start: number): number {
  const found = bytes.indexOf(quote, start);
  const end = found === -1 ? bytes.length : found;
  const escaping = bytes.subarray(start, end).indexOf(backslash);
  progress.isEscaped = escaping !== -1;
  progress.isText = escaping !== -1 || found === -1;
  return escaping === -1 ? Math.min(end + 1, bytes.length) : start + escaping + 1;
}
