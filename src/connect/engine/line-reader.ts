/** Puts the bytes of a stream together into lines. */
export interface LineReader {
  /** The next bytes, in order; each line that they end is told at once. */
  write(bytes: Buffer): void;
}

export interface LineReaderOptions {
  /** In bytes, without the line feed. */
  readonly longest: number;
  readonly onLine: (line: string) => void;
  /** A line was longer: it is left out, to its end. */
  readonly onTooLong: () => void;
}

const lineFeed = 10;
/** What most lines fit into, and all that is held between two of them. */
const usual = 4096;

/**
 * It never holds more than twice the longest line, in however small pieces it comes: the writer at
 * the other end may be anybody.
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  let held = Buffer.allocUnsafeSlow(usual);
  let length = 0;
  let isTooLong = false;

  const add = (part: Buffer): void => {
    if (isTooLong) return;
    const needed = length + part.length;
    isTooLong = needed > options.longest;
    if (isTooLong) {
      forget();
      options.onTooLong();
      return;
    }
    if (needed > held.length) held = grow(held, Math.max(needed, 2 * length));
    part.copy(held, length);
    length = needed;
  };
  const forget = (): void => {
    if (held.length > usual) held = Buffer.allocUnsafeSlow(usual);
    length = 0;
  };
  const end = (): void => {
    const line = isTooLong ? undefined : held.toString('utf8', 0, length);
    forget();
    isTooLong = false;
    if (line !== undefined) options.onLine(line);
  };

  return {
    write(bytes) {
      let from = 0;
      for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
        add(bytes.subarray(from, at));
        end();
        from = at + 1;
      }
      add(bytes.subarray(from));
    },
  };
}

function grow(held: Buffer<ArrayBuffer>, capacity: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(capacity);
  held.copy(larger);
  return larger;
}
