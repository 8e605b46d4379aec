import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { judgePhase } from '../../../../src/health/phase.ts';
import { renderMetrics } from '../../../../src/report/metrics.ts';
import type { Exec } from '../../../../src/system/exec.ts';
import { waitUntil } from '../../../patience.ts';
import {
  createAgentWorld,
  createProvidingWorld,
  createRestingWorld,
  tunnelInterface,
} from '../agent-world.ts';

type World = Awaited<ReturnType<typeof createProvidingWorld>>;

/** What a scrape shows of a counter, summed over its labels; undefined: it is left out. */
function scrape(world: World, name: string): number | undefined {
  const text = renderMetrics({
    facts: world.facts(),
    report: judgePhase(world.facts(), new Date()),
    now: new Date(),
  });
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].map(
    ([, value]) => Number(value),
  );
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value);
}

const forwarded = (world: World) => scrape(world, 'tributary_gateway_forwarded_bytes_total');
const refused = (world: World) => scrape(world, 'tributary_gateway_refused_packets_total');
const received = (world: World) => scrape(world, 'tributary_tunnel_received_bytes_total');

/** A later look: many within a moment read once. */
const sample = async ({ meter }: World) => {
  await new Promise((resolve) => setTimeout(resolve, 60));
  await meter.sample();
};

const dropTable = ({ machine }: World) =>
  machine.exec({
    program: 'nft',
    args: ['-f', '-'],
    input: 'delete table inet tributary\n',
    doing: 'test',
  });

describe('a counter', () => {
  test('is left out before the first reading, and not shown as 0', async () => {
    const world = await createAgentWorld();
    expect([forwarded(world), refused(world), received(world)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await world.loop.tick();
    expect([forwarded(world), refused(world)]).toEqual([0, 0]);
  });

  test('that an earlier run kept is shown from the first reading on, and never as less', async () => {
    const world = await createProvidingWorld();
    world.machine.count('forwarded_down', 5, 5_000);
    await world.loop.tick();
    await world.usage.close(undefined);
    await dropTable(world);
    await world.loop.tick();
    expect(forwarded(world)).toBe(5_000);
  });

  test('keeps its value where the table vanished and a scrape came first', async () => {
    const world = await createProvidingWorld();
    world.machine.count('forwarded_up', 7, 7_000);
    world.machine.count('refused_port', 3, 180);
    await sample(world);
    expect([forwarded(world), refused(world)]).toEqual([7_000, 3]);
    await dropTable(world);
    await sample(world);
    expect([forwarded(world), refused(world)]).toEqual([7_000, 3]);
    await world.loop.tick();
    expect(forwarded(world)).toBe(7_000);
  });

  test('does not run backwards for a sample that began before a pass and ends after it', async () => {
    const world = await createProvidingWorld();
    world.machine.count('forwarded_down', 1, 1_000);
    world.machine.count('refused_port', 1, 60);
    const answers: (() => void)[] = [];
    const slow: Exec = async (command) => {
      const answer = await world.machine.exec(command);
      await new Promise<void>((resolve) => answers.push(resolve));
      return answer;
    };
    world.tamper(slow);
    const sampling = sample(world);
    await waitUntil(() => expect(answers.length).toBeGreaterThanOrEqual(2));
    world.tamper(world.machine.exec);
    world.machine.count('forwarded_down', 1, 9_000);
    world.machine.count('refused_port', 9, 540);
    await world.loop.tick();
    expect([forwarded(world), refused(world)]).toEqual([10_000, 10]);
    for (const answer of answers) answer();
    await sampling;
    expect([forwarded(world), refused(world)]).toEqual([10_000, 10]);
  });

  test('does not run backwards with a pass that did not read again what a sample has', async () => {
    const world = await createRestingWorld();
    world.machine.count('refused_port', 9, 540);
    await sample(world);
    expect(refused(world)).toBe(9);
    await world.loop.tick();
    expect(refused(world)).toBe(9);
  });

  test('is read again for a look between two passes, and so is the handshake', async () => {
    const world = await createProvidingWorld();
    const link = world.machine.links.get(tunnelInterface);
    if (link !== undefined)
      link.traffic = { lastHandshakeAt: Math.floor(Date.now() / 1000), rxBytes: 12, txBytes: 34 };
    await sample(world);
    expect(received(world)).toBe(12);
    expect(world.facts().tunnel.lastHandshakeAt).toBeInstanceOf(Date);
  });

  test('of the tunnel is left out while there is no tunnel', async () => {
    const world = await createProvidingWorld();
    expect(received(world)).toBe(1000);
    world.issued.tunnel = { tunnel: undefined, refusal: undefined };
    await world.loop.tick();
    await sample(world);
    expect(received(world)).toBeUndefined();
  });
});

describe('a sample', () => {
  test('for many at once reads once, and one a moment later not at all', async () => {
    const world = await createProvidingWorld();
    let listings = 0;
    world.tamper((command) => {
      if (command.program === 'nft') listings += 1;
      return world.machine.exec(command);
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { meter } = world;
    await Promise.all([meter.sample(), meter.sample(), meter.sample()]);
    vi.advanceTimersByTime(49);
    await meter.sample();
    expect(listings).toBe(1);
    vi.advanceTimersByTime(1);
    await meter.sample();
    expect(listings).toBe(2);
  });

  test('during a pass waits for its end, and is fresh then', async () => {
    const world = await createProvidingWorld();
    world.machine.count('forwarded_down', 1, 1_000);
    const commands: string[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    world.tamper(async (command) => {
      commands.push(command.args.join(' '));
      await released;
      return world.machine.exec(command);
    });
    const pass = world.loop.tick();
    await new Promise((resolve) => setImmediate(resolve));
    const before = [...commands];
    const sampling = world.meter.sample();
    await new Promise((resolve) => setImmediate(resolve));
    expect(commands).toEqual(before);
    world.machine.count('forwarded_down', 1, 2_000);
    release();
    await Promise.all([pass, sampling]);
    expect(forwarded(world)).toBe(3_000);
    // The pass's, and the sample's own.
    expect(commands.filter((line) => line === '-j list table inet tributary')).toHaveLength(2);
  });

  test('waits for probes that are on their way, and one that began before them is read again', async () => {
    const world = await createProvidingWorld();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const probes = vi.spyOn(world.selfTest, 'send').mockImplementation(async () => {
      // A table that was listed now shows what was refused, and not yet which of it were probes.
      world.machine.count('refused_port', 1, 60);
      await released;
      world.machine.count('refused_port', -1, -60);
    });
    const pass = world.loop.tick();
    await waitUntil(() => expect(probes).toHaveBeenCalled());
    const sampling = world.meter.sample();
    await new Promise((resolve) => setTimeout(resolve, 20));
    release();
    await Promise.all([pass, sampling]);
    expect(refused(world)).toBe(0);
  });

  test('that hangs delays no caller, and is used when it comes', async () => {
    const world = await createProvidingWorld();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    world.machine.count('forwarded_down', 1, 1_000);
    world.tamper(async (command) => {
      await released;
      return world.machine.exec(command);
    });
    await sample(world);
    expect(forwarded(world)).toBe(0);
    release();
    await waitUntil(() => expect(forwarded(world)).toBe(1_000));
  });

  test('takes what the kernel counts where a source cannot be read', async () => {
    const { TributaryError } = await import('../../../../src/errors/codes.ts');
    const world = await createProvidingWorld();
    world.machine.count('forwarded_down', 1, 1_000);
    world.tamper(async (command) => {
      if (command.program === 'wg') throw new TributaryError('command-failed', 'no answer');
      return world.machine.exec(command);
    });
    await sample(world);
    expect(forwarded(world)).toBe(1_000);
    expect(received(world)).toBe(1000);
  });

  test('that fails leaves what was known', async () => {
    const { TributaryError } = await import('../../../../src/errors/codes.ts');
    const world = await createProvidingWorld();
    world.machine.count('forwarded_down', 1, 1_000);
    await world.loop.tick();
    world.tamper(async () => {
      throw new TributaryError('command-failed', 'no answer');
    });
    await sample(world);
    expect(forwarded(world)).toBe(1_000);
  });
});
