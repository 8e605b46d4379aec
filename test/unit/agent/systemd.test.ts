import { expect, test } from 'vitest';
import { createSupervisor } from '../../../src/agent/systemd.ts';
import type { PhaseReport } from '../../../src/health/phase.ts';
import { TributaryError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/report/logger.ts';
import type { Notice } from '../../../src/system/notify.ts';

const providing: PhaseReport = { phase: 'providing', reasons: [] };
const blocked: PhaseReport = {
  phase: 'blocked',
  reasons: [{ code: 'gateway-failed', message: 'nft is not installed.', action: 'Install it.', since: new Date(0) }],
};

function createWatched(watchdogMs: number | undefined) {
  const notices: Notice[] = [];
  const lines: string[] = [];
  const world = { nowMs: 0, report: providing, stalled: [] as string[], isDeaf: false };
  const supervisor = createSupervisor({
    notify: async (notice) => {
      if (world.isDeaf) throw new TributaryError('command-failed', 'telling systemd: nobody listens');
      notices.push(notice);
    },
    watchdogMs,
    report: () => world.report,
    stalledLoops: () => world.stalled,
    log: createLogger(
      { level: 'info', format: 'json' },
      { isTty: false, destination: { write: (line) => void lines.push(line) } },
    ),
    nowMs: () => world.nowMs,
  });
  /** Ticks for so long: what was told meanwhile. */
  const pass = async (ms: number) => {
    notices.length = 0;
    const endMs = world.nowMs + ms;
    while (world.nowMs < endMs) world.nowMs += await supervisor.tick();
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

test('what is the same is not said again', async () => {
  const { world, pass } = createWatched(undefined);
  await pass(1);
  expect(await pass(600_000)).toEqual([]);
  world.report = blocked;
  expect(await pass(60_000)).toEqual([{ STATUS: 'blocked: nft is not installed.' }]);
});

test('it says that it is alive at least once in half of the time', async () => {
  const { pass } = createWatched(90_000);
  await pass(1);
  const alive = await pass(900_000);
  expect(alive.every((notice) => notice.WATCHDOG === '1')).toBe(true);
  expect(alive.length).toBeGreaterThanOrEqual(20);
  expect(alive.length).toBeLessThanOrEqual(24);
});

test('a watchdog of a few seconds is answered in time too', async () => {
  const { pass } = createWatched(4_000);
  await pass(1);
  expect((await pass(40_000)).length).toBeGreaterThanOrEqual(19);
});

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
