import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endInOrder, endWithinMs } from '../../../src/agent/end-agent.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createEnd() {
  const [lines, exits, ran]: [string[], (number | undefined)[], string[]] = [[], [], []];
  return {
    lines,
    exits,
    ran,
    parts: {
      log: { error: (_: object, message: string) => void lines.push(message) } as never,
      exit: (code?: number) => void exits.push(code),
    },
    step: (doing: string, run: () => unknown = () => undefined) => ({
      doing,
      run: () => {
        ran.push(doing);
        return run();
      },
    }),
  };
}

describe('the end of the agent', () => {
  test('runs every step, whatever fails before it, and tells the first failure', async () => {
    const { parts, step, ran, lines } = createEnd();
    const first = new Error("Cannot find module './ledger.cjs'");
    const failure = await endInOrder(
      [
        step('a', () => Promise.reject(first)),
        step('b', () => {
          throw new Error('another');
        }),
        step('c'),
      ],
      parts,
    );
    expect(failure).toBe(first);
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(lines).toHaveLength(2);
  });

  test('ends the process where a step does not end', async () => {
    const { parts, step, ran, exits } = createEnd();
    const held = Promise.withResolvers<void>();
    const ending = endInOrder([step('a', () => held.promise), step('b')], parts);
    await vi.advanceTimersByTimeAsync(endWithinMs - 1);
    expect(exits).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect([exits, ran]).toEqual([[70], ['a']]);
    held.resolve();
    await ending;
  });

  test('goes on without a step that waits for a disk, and with each that needs the one before', async () => {
    const { parts, step, ran, exits, lines } = createEnd();
    const held = Promise.withResolvers<void>();
    const ending = endInOrder(
      [{ ...step('a', () => held.promise), patienceMs: 3_000 }, step('b')],
      parts,
    );
    await vi.advanceTimersByTimeAsync(2_999);
    expect(ran).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect([ran, lines]).toEqual([['a', 'b'], [expect.stringContaining('takes too long')]]);
    expect(await ending).toBeUndefined();
    held.reject(new Error('nobody asks for this any more'));
    await vi.advanceTimersByTimeAsync(endWithinMs);
    expect(exits).toEqual([undefined]);
  });

  test('ends the process where something keeps it alive afterwards', async () => {
    const { parts, step, exits } = createEnd();
    expect(await endInOrder([step('a')], parts)).toBeUndefined();
    expect(exits).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    // With the exit code that was set meanwhile.
    expect(exits).toEqual([undefined]);
  });
});
