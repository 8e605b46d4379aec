const firstBytes = 1024;
/** A block that was needed once is not kept for all that follow. */
const mostKeptBytes = 64 * 1024;

/** Bytes put together from pieces: one block of memory however small the pieces are, of which each would cost its own. */
export function createGathered() {
  let block = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece: Buffer): void {
      if (length + piece.length > block.length) {
        const larger = Buffer.allocUnsafe(Math.max(firstBytes, 2 * block.length, length + piece.length));
        block.copy(larger, 0, 0, length);
        block = larger;
      }
      length += piece.copy(block, length);
    },
    /** The whole as text; empty afterwards. */
    take(): string {
      const text = block.toString('utf8', 0, length);
      length = 0;
      if (block.length > mostKeptBytes) block = Buffer.alloc(0);
      return text;
    },
  };
}
