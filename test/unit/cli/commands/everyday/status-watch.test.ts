import { describe, expect, test } from 'vitest';
import {
  createStatusLook,
  renderThroughput,
} from '../../../../../src/cli/commands/everyday/status-watch.ts';
import { parseWatchSeconds, watchJson, watchLines } from '../../../../../src/cli/present/watch.ts';
import { TributaryError } from '../../../../../src/errors/codes.ts';
import { buildStatusDocument } from '../../../../../src/status/document.ts';
import { createFacts, now } from '../../../../../tools/docs/sample-facts.ts';

/**
 * Looks `count` times, a second of the clock apart, and then stops; `fails` are looks that get no
 * answer.
 */
async function watch(
  count: number,
  rows: number | undefined,
  fails: readonly number[] = [],
): Promise<string> {
  const controller = new AbortController();
  const written: string[] = [];
  let looks = 0;
  const ask = async () => {
    looks += 1;
    if (looks === count) controller.abort();
    if (fails.includes(looks))
      throw new TributaryError('not-running', 'asking the agent: nothing answers');
    const facts = createFacts({ gateway: { forwardedBytes: { up: looks * 1_000_000, down: 0 } } });
    return {
      document: buildStatusDocument(facts, now),
      lines: ['Tributary is providing', 'Device    kitchen'],
    };
  };
  const stdout = { write: (text: string) => void written.push(text) };
  const look = createStatusLook({ ask, nowMs: () => looks * 1000 });
  await watchLines(look, { stdout, rows: () => rows, intervalMs: 1 }, controller.signal);
  return written.join('');
}

describe('the watched status', () => {
  test('is one block after another in a pipe, with the speed since the last look', async () => {
    expect(await watch(2, undefined)).toBe(
      [
        'Tributary is providing\nDevice    kitchen\n\nSpeed     shown from the next update\n\n',
        'Tributary is providing\nDevice    kitchen\n\nSpeed     8.00 Mbit/s up, 0 kbit/s down  █\n\n',
      ].join(''),
    );
  });

  test('is drawn in place at a terminal, which is restored afterwards', async () => {
    const text = await watch(2, 24);
    expect(text.startsWith('\u001b[?1049h')).toBe(true);
    expect(text.endsWith('\u001b[?7h\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(text.split('\u001b[H')).toHaveLength(3);
    expect(text).not.toContain('\u001b[2J');
  });

  test('is no longer than the terminal', async () => {
    const screens = (await watch(2, 3)).split('\u001b[H').slice(1);
    for (const screen of screens) expect(screen.split('\n')).toHaveLength(3);
  });

  test('outlives an agent that does not answer for a while', async () => {
    const text = await watch(3, undefined, [2]);
    expect(text).toContain('asking the agent: nothing answers; asking again\n');
    expect(text.match(/Tributary is providing/g)).toHaveLength(2);
  });

  test('ends at once when it is stopped while nothing answers', async () => {
    const written: string[] = [];
    const controller = new AbortController();
    const stdout = { write: (text: string) => void written.push(text) };
    const never = () => new Promise<never>(() => undefined);
    const watched = { stdout, rows: () => 24, intervalMs: 1 };
    const watching = [
      watchLines(never, watched, controller.signal),
      watchJson(never, watched, controller.signal),
    ];
    controller.abort();
    await Promise.all(watching);
    expect(written).toEqual([
      '\u001b[?1049h\u001b[?25l\u001b[?7l',
      '\u001b[?7h\u001b[?25h\u001b[?1049l',
    ]);
  });

  test('restores the terminal when it fails', async () => {
    const written: string[] = [];
    const look = () => Promise.reject(new TributaryError('not-allowed', 'this user may not'));
    const stdout = { write: (text: string) => void written.push(text) };
    const watching = watchLines(
      look,
      { stdout, rows: () => 24, intervalMs: 1 },
      new AbortController().signal,
    );
    await expect(watching).rejects.toMatchObject({ code: 'not-allowed' });
    expect(written.at(-1)).toBe('\u001b[?7h\u001b[?25h\u001b[?1049l');
  });

  test.each(['lines', 'JSON'])(
    'ends at the signal while nothing answers, and restores the terminal: %s',
    async (form) => {
      const written: string[] = [];
      const controller = new AbortController();
      const look = () => {
        setImmediate(() => controller.abort());
        return new Promise<never>(() => undefined);
      };
      const parts = {
        stdout: { write: (text: string) => void written.push(text) },
        rows: () => 24,
        intervalMs: 1,
      };
      await (form === 'JSON' ? watchJson : watchLines)(look, parts, controller.signal);
      const screen = ['\u001b[?1049h\u001b[?25l\u001b[?7l', '\u001b[?7h\u001b[?25h\u001b[?1049l'];
      expect(written).toEqual(form === 'JSON' ? [] : screen);
    },
  );

  test('is one object on each line for scripts, an error among them', async () => {
    const controller = new AbortController();
    const written: string[] = [];
    const answers = [
      () => Promise.resolve({ version: 1 }),
      () => Promise.reject(new TributaryError('not-running', 'nothing answers')),
    ];
    const ask = () => {
      const next = answers.shift();
      if (answers.length === 0) controller.abort();
      return next?.() ?? Promise.resolve(undefined);
    };
    const stdout = { write: (text: string) => void written.push(text) };
    await watchJson(ask, { stdout, intervalMs: 1 }, controller.signal);
    expect(written).toEqual([
      '{"version":1}\n',
      '{"error":{"code":"not-running","message":"nothing answers"}}\n',
    ]);
  });
});

test('counters that began again give no speed', () => {
  const reading = (seconds: number, upBytes: number) => ({
    atMs: seconds * 1000,
    upBytes,
    downBytes: 0,
  });
  expect(renderThroughput([reading(0, 9_000_000), reading(1, 0), reading(2, 125_000)])).toBe(
    'Speed     1.00 Mbit/s up, 0 kbit/s down  ▁█',
  );
});

test.each([
  ['2', 2],
  ['1', 1],
  ['3600', 3600],
] as const)('--watch %s looks every %s s', (text, seconds) => {
  expect(parseWatchSeconds(text)).toBe(seconds);
});

test.each(['0', '-1', '1.5', 'fast', '3601', ''])('--watch %j is refused', (text) => {
  expect(() => parseWatchSeconds(text)).toThrow(
    /^--watch .*: it must be a whole number from 1 to 3600$/,
  );
});
