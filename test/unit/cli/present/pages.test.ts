import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { pageRows, splitPages, writeAll } from '../../../../src/cli/commands/service/clients.ts';

/** So many rows, and then perhaps a failure. */
async function* count(rows: number, failure?: Error): AsyncGenerator<number> {
  for (let row = 0; row < rows; row += 1) yield row;
  if (failure !== undefined) throw failure;
}

describe('a long list', () => {
  test.each([
    [0, []],
    [1, [1]],
    [pageRows, [pageRows]],
    [2 * pageRows + 3, [pageRows, pageRows, 3]],
  ])('of %i rows comes in pages of %j', async (rows, sizes) => {
    const pages: (readonly number[])[] = [];
    for await (const page of splitPages(count(rows))) pages.push(page);
    expect(pages.map((page) => page.length)).toEqual(sizes);
    expect(pages.flat()).toEqual(Array.from({ length: rows }, (_, row) => row));
  });

  test.each([0, 1, pageRows, pageRows + 1])(
    'that breaks off after %i rows still gives those',
    async (rows) => {
      const seen: number[] = [];
      const reading = (async () => {
        for await (const page of splitPages(count(rows, new Error('broken')))) seen.push(...page);
      })();
      await expect(reading).rejects.toThrow('broken');
      expect(seen).toHaveLength(rows);
    },
  );

  test('is not read on after its reader stops', async () => {
    let read = 0;
    for await (const page of splitPages(count(3 * pageRows))) {
      read += page.length;
      break;
    }
    expect(read).toBe(pageRows);
  });
});

describe('what is written', () => {
  /** An output that is full until it is told to drain. */
  function createOutput(isFull: boolean) {
    const emitter = new EventEmitter();
    const written: string[] = [];
    const write = (text: string) => {
      written.push(text);
      return !isFull;
    };
    return {
      written,
      output: { write, once: emitter.once.bind(emitter) },
      drain: () => emitter.emit('drain'),
    };
  }

  test('waits for a reader that is behind', async () => {
    const { output, drain, written } = createOutput(true);
    let isDone = false;
    const writing = writeAll(output, 'row').then(() => {
      isDone = true;
    });
    await Promise.resolve();
    expect({ written, isDone }).toEqual({ written: ['row'], isDone: false });
    drain();
    await writing;
  });

  test('waits for nobody else', async () => {
    await writeAll(createOutput(false).output, 'row');
    await writeAll({ write: () => undefined }, 'row');
  });
});
