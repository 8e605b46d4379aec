import { createAnswerError } from './answer.ts';
import type { ServiceError } from './errors.ts';
import { createJsonScan } from './json-scan.ts';

type Limited = Parameters<typeof createAnswerError>[1] & { readonly bodyLimitBytes: number };

/** In the measure of `createJsonScan`. */
const mostWeight = 50_000;
const firstBytes = 1024;
/** A larger block, which was needed once, is not kept for later values. */
const mostKeptBytes = 64 * 1024;

/**
 * Collects bytes from pieces in one block of memory, because small pieces would cost more than
 * their bytes.
 */
export function createGathered() {
  let block = Buffer.alloc(0);
  let length = 0;
  const clear = (): void => {
    length = 0;
    if (block.length > mostKeptBytes) block = Buffer.alloc(0);
  };
  return {
    get length() {
      return length;
    },
    add(piece: Buffer): void {
      if (length + piece.length > block.length) {
        const larger = Buffer.allocUnsafe(
          Math.max(firstBytes, 2 * block.length, length + piece.length),
        );
        block.copy(larger, 0, 0, length);
        block = larger;
      }
      length += piece.copy(block, length);
    },
    /** All bytes as text; the collection is empty afterwards. */
    take(): string {
      const text = block.toString('utf8', 0, length);
      clear();
      return text;
    },
    clear,
  };
}

/**
 * A body as one text that is safe to parse: it has no more structure than fits in memory.
 * @throws answer-too-large, codes of the chunks
 */
export async function readText(body: AsyncIterable<Buffer>, exchange: Limited): Promise<string> {
  const gathered = createGathered();
  const scan = createJsonScan(mostWeight);
  for await (const chunk of body) {
    if (gathered.length + chunk.length > exchange.bodyLimitBytes)
      throw createTooLargeError(exchange, 'the answer');
    let at = 0;
    while (at < chunk.length) {
      at = scan.follow(chunk, at);
      if (scan.isTooMuch())
        throw createAnswerError(
          'answer-too-large',
          exchange,
          'the answer holds more values than are taken',
        );
    }
    gathered.add(chunk);
  }
  return gathered.take();
}

export function createTooLargeError(exchange: Limited, what: string): ServiceError {
  return createAnswerError(
    'answer-too-large',
    exchange,
    `${what} is larger than ${exchange.bodyLimitBytes} bytes`,
  );
}
