import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { choosePassIntervalMs } from '../../../src/agent/pass/data-path-loop.ts';
import { createSupervisor } from '../../../src/agent/systemd.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import type { PhaseReport } from '../../../src/health/phase.ts';
import { createLogger } from '../../../src/report/logger.ts';
import type { Notice } from '../../../src/system/notify.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const providing: PhaseReport = { phase: 'providing', reasons: [] };
const blocked: PhaseReport = {
  phase: 'blocked',
  reasons: [
    {
      code: 'gateway-failed',
      message: 'nft is not installed.',
      action: 'Install it.',
      since: new Date(0),
    },
  ],
};

function createWatched(watchdogMs: number | undefined) {
  const notices: Notice[] = [];
  const lines: string[] = [];
  const world = { report: providing, stalled: [] as string[], isDeaf: false };
  const supervisor = createSupervisor({
    notify: async (notice) => {
      if (world.isDeaf)
        throw new TributaryError('command-failed', 'telling systemd: nobody listens');
      notices.push(notice);
    },
    watchdogMs,
    report: () => world.report,
    stalledLoops: () => world.stalled,
    log: createLogger(
      { level: 'info', format: 'json' },
      { isTty: false, destination: { write: (line) => void lines.push(line) } },
    ),
  });
  /** Ticks for so long: what was told meanwhile. */
  const pass = async (ms: number) => {
    notices.length = 0;
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) vi.advanceTimersByTime(await supervisor.tick());
    return [...notices];
  };
  return { supervisor, world, notices, lines, pass };
}

test('it is up with the first round, whatever its phase', async () => {
  const { supervisor, world, notices } = createWatched(undefined);
  world.report = blocked;
  await supervisor.tick();
  expect(notices).toEqual([{ READY: '1', STATUS: 'blocked: nft is not installed.' }]);
});

test('it is told until it was heard that the agent is up, and the log has one line', async () => {
  const { supervisor, world, notices, lines } = createWatched(undefined);
  world.isDeaf = true;
  await supervisor.tick();
  await supervisor.tick();
  world.isDeaf = false;
  await supervisor.tick();
  expect(notices).toEqual([{ READY: '1', STATUS: 'providing' }]);
  expect(lines).toHaveLength(1);
});

test('an unchanged status is not sent to systemd again', async () => {
  const { world, pass } = createWatched(undefined);
  await pass(1);
  expect(await pass(600_000)).toEqual([]);
  world.report = blocked;
  expect(await pass(60_000)).toEqual([{ STATUS: 'blocked: nft is not installed.' }]);
});

test('it is alive, and says what is wrong, where a bug keeps the phase from being told', async () => {
  const { world, pass } = createWatched(30_000);
  Object.defineProperty(world, 'report', {
    get: () => {
      throw new TypeError('a bug');
    },
  });
  const [first, ...later] = await pass(60_000);
  expect(first).toMatchObject({ READY: '1', STATUS: 'the phase cannot be told: a bug' });
  expect(later.filter((notice) => notice.WATCHDOG === '1').length).toBeGreaterThan(1);
});

test('it says that it is alive by at most three programs a minute', async () => {
  const { pass } = createWatched(30_000);
  await pass(1);
  const alive = await pass(900_000);
  expect(alive.every((notice) => notice.WATCHDOG === '1')).toBe(true);
  expect(alive.length).toBe(45);
});

test.each([90_000, 30_000, 4_000])(
  'every other word may be lost before a watchdog of %d ms',
  async (watchdogMs) => {
    const { world, supervisor, notices } = createWatched(watchdogMs);
    let tries = 0;
    Object.defineProperty(world, 'isDeaf', { get: () => tries++ % 2 === 1 });
    let heardMs = performance.now();
    const silencesMs: number[] = [];
    while (silencesMs.length < 10) {
      vi.advanceTimersByTime(await supervisor.tick());
      if (notices.length <= silencesMs.length) continue;
      silencesMs.push(performance.now() - heardMs);
      heardMs = performance.now();
    }
    expect(Math.max(...silencesMs)).toBeLessThan(watchdogMs);
  },
);

test.each(['tributary.service', 'user/tributary.service'])(
  'consumers are forwarded over a hang and the start after it: %s',
  (unit) => {
    const text = readFileSync(new URL(`../../../systemd/${unit}`, import.meta.url), 'utf8');
    const seconds = (key: string) => Number(new RegExp(`^${key}=(\\d+)s$`, 'm').exec(text)?.[1]);
    const permitSeconds = configSchema.shape.gateway.parse({}).permit_seconds;
    const renewedMs = choosePassIntervalMs({
      phase: 'providing',
      isHandshakeDue: false,
      isSelfTestDue: false,
      isCapBusy: false,
      unchangedMs: 1e6,
      permitSeconds,
    });
    const startSeconds = 5;
    const gone = seconds('WatchdogSec') + seconds('RestartSec') + startSeconds;
    expect(permitSeconds - renewedMs / 1000).toBeGreaterThan(gone);
  },
);

test('while a loop is stalled it does not say that it is alive', async () => {
  const { world, pass } = createWatched(90_000);
  await pass(1);
  world.stalled = ['data path'];
  expect(await pass(900_000)).toEqual([]);
});

test('a reload begins and ends', async () => {
  const { supervisor, notices } = createWatched(undefined);
  await supervisor.whileReloading(async () => {
    expect(notices).toEqual([{ RELOADING: '1' }]);
  });
  expect(notices.at(-1)).toEqual({ READY: '1' });
});

test('the end is announced', async () => {
  const { supervisor, notices } = createWatched(undefined);
  await supervisor.stopping();
  expect(notices).toEqual([{ STOPPING: '1', STATUS: 'stopping' }]);
});
