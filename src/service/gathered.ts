/** Bytes put together from pieces: one block of memory however small the pieces are, of which each would cost its own. */
export interface Gathered {
  readonly length: number;
  add(piece: Buffer): void;
  /** The whole as text; empty afterwards. */
  take(): string;
}

const firstBytes = 1024;
/** A block that was needed once is not kept for all that follow. */
const mostKeptBytes = 64 * 1024;

export function createGathered(): Gathered {
  let block = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece) {
      if (length + piece.length > block.length) {
        const larger = Buffer.allocUnsafe(Math.max(firstBytes, 2 * block.length, length + piece.length));
        block.copy(larger, 0, 0, length);
        block = larger;
      }
      length += piece.copy(block, length);
    },
    take() {
      const text = block.toString('utf8', 0, length);
      length = 0;
      if (block.length > mostKeptBytes) block = Buffer.alloc(0);
      return text;
    },
  };
}
