import { expect, test, vi } from 'vitest';
import type { Sections } from '../../../../src/agent/state.ts';
import { createLedgerLoop } from '../../../../src/agent/tell/ledger-loop.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { judgePhase } from '../../../../src/health/phase.ts';
import { createLogger } from '../../../../src/report/logger.ts';
import { profiles } from '../../../../src/service/profiles.ts';
import { createFacts } from '../../../../tools/docs/sample-facts.ts';
import { createLedgerWorld, hourMs } from '../../report/ledger-world.ts';

const now = () => new Date();
const { signal } = new AbortController();
const { log } = configSchema.parse({ service: { base_url: 'https://service.example' } });

/**
 * Agents, one after another, on one state directory: each provides in the production dialect, on
 * virtual time.
 */
async function createDevice() {
  const { directory } = await createLedgerWorld();
  const device = { bytes: 5_000_000, mode: 'public' as 'public' | 'none' };
  const startAgent = () => {
    const section: Sections['ledger'] = {};
    const facts = () =>
      createFacts({
        service: { profile: 'production' },
        tunnel: { lastHandshakeAt: now() },
        provide: { effective: device.mode },
        gateway: { forwardedBytes: { up: device.bytes, down: 0 }, silence: section.silence },
      });
    const loop = createLedgerLoop({
      directory,
      ledger: section,
      state: { service: {} },
      client: { call: async () => expect.unreachable() },
      profile: profiles.production,
      facts,
      log: createLogger(log, {
        isTty: false,
        destination: { write: (line) => expect.unreachable(line) },
      }),
      now,
      random: () => 0.5,
    });
    vi.advanceTimersByTime(loop.firstAfterMs);
    return {
      close: loop.close,
      async runFor(hours: number) {
        for (const untilMs = Date.now() + hours * hourMs; Date.now() < untilMs; ) {
          vi.advanceTimersByTime(await loop.tick(signal));
        }
      },
      notes: () =>
        judgePhase(facts(), now()).reasons.map(
          ({ code, since }) => `${code} since ${since.toISOString()}`,
        ),
    };
  };
  return { device, startAgent };
}

const note = 'consumer-tunnel since 2026-05-04T00:00:00.000Z';

test('a day of providing without a byte is noticed across restarts and kills, and the first byte ends it', async () => {
  const { device, startAgent } = await createDevice();
  const first = startAgent();
  await first.runFor(11);
  await first.close();
  // Nobody closes it: what it did not write since the last full hour is lost.
  const killed = startAgent();
  await killed.runFor(11.5);
  const third = startAgent();
  await third.runFor(1);
  expect(third.notes()).toEqual([]);
  await third.runFor(3);
  expect(third.notes()).toEqual([note]);
  await third.close();
  const fourth = startAgent();
  await fourth.runFor(0.01);
  expect(fourth.notes()).toEqual([note]);
  device.bytes += 1;
  expect(fourth.notes()).toEqual([]);
  await fourth.runFor(23);
  expect(fourth.notes()).toEqual([]);
  await fourth.runFor(4);
  expect(fourth.notes()).toEqual(['consumer-tunnel since 2026-05-05T03:00:00.000Z']);
});

test('only time in which it provides counts', async () => {
  const { device, startAgent } = await createDevice();
  const agent = startAgent();
  for (let day = 0; day < 4; day += 1) {
    device.mode = 'public';
    await agent.runFor(5);
    expect(agent.notes()).toEqual([]);
    device.mode = 'none';
    await agent.runFor(19);
  }
  device.mode = 'public';
  await agent.runFor(6);
  expect(agent.notes()).toEqual([note]);
  device.mode = 'none';
  expect(agent.notes()).toEqual([]);
});

test('a byte that passes while no agent runs ends it too', async () => {
  const { device, startAgent } = await createDevice();
  const first = startAgent();
  await first.runFor(26);
  expect(first.notes()).toEqual([note]);
  await first.close();
  device.bytes += 1;
  const second = startAgent();
  await second.runFor(20);
  expect(second.notes()).toEqual([]);
});
