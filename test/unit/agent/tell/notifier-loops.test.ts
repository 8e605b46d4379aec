import { expect, test } from 'vitest';
import { createNotifierLoops } from '../../../../src/agent/tell/notifier-loops.ts';
import { createLogger } from '../../../../src/report/logger.ts';
import type { Notifier } from '../../../../src/report/notifier.ts';

function createLoops(notifier: Pick<Notifier<string>, 'look' | 'deliver'>) {
  const lines: string[] = [];
  const noted: string[] = [];
  const log = createLogger(
    { level: 'info', format: 'json' },
    { isTty: false, destination: { write: (text: string) => lines.push(text) } },
  );
  const [watch, delivery] = createNotifierLoops(
    {
      name: 'webhook',
      host: 'hook.example',
      pace: { lookMs: 7, capacity: 1, maxTries: 3, retry: { baseMs: 5, maxMs: 20 } },
      ...notifier,
    },
    log,
    ({ host }, outcome) => noted.push(`${host} ${outcome.kind}`),
  );
  const { signal } = new AbortController();
  return {
    lines,
    noted,
    look: () => watch?.tick(signal),
    deliver: () => delivery?.tick(signal),
  };
}

test('a notifier that throws at a look is named once, and looked at again', async () => {
  const loops = createLoops({
    look: () => {
      throw new TypeError('nothing to read');
    },
    deliver: async () => ({ kind: 'delivered' }),
  });
  expect([await loops.look(), await loops.look()]).toEqual([7, 7]);
  expect(loops.lines.map((line) => JSON.parse(line).reason)).toEqual(['nothing to read']);
});

test.each([
  {
    way: 'throws',
    deliver: () => {
      throw new TypeError('broken');
    },
  },
  { way: 'fails', deliver: () => Promise.reject(new TypeError('broken')) },
])(
  'a delivery that $way is a failed one: tried again, and dropped in the end',
  async ({ deliver }) => {
    const loops = createLoops({ look: () => 'news', deliver });
    await loops.look();
    expect(await loops.deliver()).toBeGreaterThan(0);
    expect(await loops.deliver()).toBeGreaterThan(0);
    expect(await loops.deliver()).toBe(0);
    expect(loops.lines.map((line) => JSON.parse(line).reason)).toEqual(['broken', 'broken']);
    expect(loops.lines.at(-1)).toMatch(/dropped/);
    expect(loops.noted).toEqual(Array(3).fill('hook.example failed'));
  },
);
