import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { configSchema } from '../../../../src/config/schema.ts';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { longestUnfencedMs } from '../../../../src/health/may-forward.ts';
import { judgePhase } from '../../../../src/health/phase.ts';
import type { Source } from '../../../../src/source/source.ts';
import { applyNft } from '../../../../src/system/nft.ts';
import { homeProbes } from '../../gateway/policy-fixture.ts';
import {
  createAgentWorld,
  createProvidingWorld,
  createRestingWorld,
  tunnelInterface,
  uplink,
} from '../agent-world.ts';

type World = Awaited<ReturnType<typeof createAgentWorld>>;
const probes = homeProbes.slice(0, 1);
const phaseOf = (world: World) => judgePhase(world.facts(), new Date());

describe('a pass of the data path', () => {
  test('makes tunnel and fence, and opens nothing before the other end has shaken hands', async () => {
    const world = await createAgentWorld();
    await world.loop.tick();
    expect(world.machine.links.has(tunnelInterface)).toBe(true);
    expect(world.state.mode.decision).toEqual({
      permit: false,
      mode: 'public',
      reasons: ['not-alive'],
      devices: [],
    });
    expect(world.isOpen()).toBe(false);
  });

  test.each([
    ['made', (_world: World) => undefined],
    [
      'refused',
      (world: World) =>
        world.tamper(async () => Promise.reject(new TributaryError('command-failed', 'no'))),
    ],
  ])(
    'wakes the conversation with the service once the first fence was %s, and only then',
    async (_, prepare) => {
      const world = await createAgentWorld();
      prepare(world);
      const notified = vi.spyOn(world.wakeups.service, 'notify');
      const first = world.loop.tick();
      expect(notified).not.toHaveBeenCalled();
      await first;
      expect(notified).toHaveBeenCalledTimes(1);
      await world.loop.tick();
      expect(notified).toHaveBeenCalledTimes(1);
    },
  );

  test('wakes it while what is denied is still filled into the kernel', async () => {
    const world = await createAgentWorld({ gateway: { deny_destinations: ['192.0.2.7'] } });
    world.issued.tunnel = { tunnel: undefined, refusal: undefined };
    const notified = vi.spyOn(world.wakeups.service, 'notify');
    const filling = Promise.withResolvers<void>();
    const filled = Promise.withResolvers<void>();
    world.tamper(async (command) => {
      if (command.input?.includes('elements = { 192.0.2.7 }')) {
        filling.resolve();
        await filled.promise;
      }
      return world.machine.exec(command);
    });
    const pass = world.loop.tick();
    await filling.promise;
    expect(notified).toHaveBeenCalledTimes(1);
    expect(world.isOpen()).toBe(false);
    filled.resolve();
    await pass;
    expect(notified).toHaveBeenCalledTimes(1);
  });

  test('lets traffic through once everything is in place, and says so', async () => {
    const world = await createProvidingWorld();
    expect(world.state.mode.decision).toEqual({
      permit: true,
      mode: 'public',
      reasons: [],
      devices: [tunnelInterface],
    });
    expect(world.isOpen()).toBe(true);
    expect(phaseOf(world).phase).toBe('providing');
  });

  const closings: readonly (readonly [string, (world: World) => void | Promise<void>, string])[] = [
    ['mode none is set by hand', (world) => world.overrides.set('none', undefined), 'idle'],
    [
      'the configuration turns forwarding off',
      ({ sections: { configuration } }) => {
        configuration.config = {
          ...configuration.config,
          gateway: { ...configuration.config.gateway, enabled: false },
        };
      },
      'idle',
    ],
    [
      'the owner is signed out',
      ({ sections }) => {
        sections.service.signInProblem = {
          code: 'signed-out',
          message: 'signed out',
          since: new Date(),
        };
      },
      'signed-out',
    ],
    [
      'the registration is gone',
      ({ sections }) => {
        sections.service.registration = undefined;
      },
      'registering',
    ],
    [
      'the agent stops',
      ({ sections }) => {
        sections.life.stoppingSince = new Date();
      },
      'stopping',
    ],
    [
      'the uplink goes down',
      ({ machine }) => {
        const link = machine.links.get(uplink);
        if (link !== undefined) link.isUp = false;
      },
      'connecting',
    ],
    [
      'the other end has never shaken hands',
      ({ machine }) => {
        const link = machine.links.get(tunnelInterface);
        if (link !== undefined) link.traffic = { lastHandshakeAt: 0, rxBytes: 0, txBytes: 0 };
      },
      'connecting',
    ],
  ];
  test.each(closings)('closes at once when %s', async (_claim, change, phase) => {
    const world = await createProvidingWorld();
    await change(world);
    await world.loop.tick();
    expect(world.isOpen()).toBe(false);
    expect(phaseOf(world).phase).toBe(phase);
  });

  test('closes at once when a test packet leaks through its rules', async () => {
    const world = await createProvidingWorld();
    vi.spyOn(world.selfTest, 'review').mockReturnValue({ kind: 'leaking', probes });
    await world.loop.tick();
    expect(world.isOpen()).toBe(false);
    expect(phaseOf(world).reasons[0]?.code).toBe('self-test-failed');
  });

  test('closes when test packets leak a third time through rules that another program changed', async () => {
    const world = await createProvidingWorld();
    const review = vi.spyOn(world.selfTest, 'review').mockReturnValue({ kind: 'held' });
    await world.loop.tick();
    review.mockReturnValue({ kind: 'leaking', probes });
    world.watched.isChanged = true;
    const seen = [];
    for (let count = 0; count < 3; count += 1) {
      const waitMs = await world.loop.tick();
      seen.push([world.isOpen(), world.state.mode.decision?.mode, waitMs]);
    }
    expect(seen).toEqual([
      [true, 'public', 1_000],
      [true, 'public', 1_000],
      [false, 'public', 3_000],
    ]);
  });

  test('opens again when what was in the way is gone', async () => {
    const world = await createProvidingWorld();
    await world.overrides.set('none', undefined);
    await world.loop.tick();
    await world.overrides.clear();
    await world.loop.tick();
    expect(world.isOpen()).toBe(true);
  });

  test('closes when the cap is used up, whatever mode is set by hand, and names the cap', async () => {
    const world = await createProvidingWorld({ provide: { cap: { bytes: '10 MB' } } });
    await world.overrides.set('public', undefined);
    world.machine.count('forwarded_down', 10, 10_000_000);
    await world.loop.tick();
    expect(world.isOpen()).toBe(false);
    expect(world.state.mode.decision).toEqual({
      permit: false,
      mode: 'none',
      reasons: ['cap-reached', 'mode-none'],
      devices: [],
    });
    const { phase, reasons } = phaseOf(world);
    expect([phase, reasons[0]?.message]).toEqual(['paused', 'The data cap of 10.0 MB is reached.']);
  });

  test('gives the kernel what is left of the cap, as a number that follows from the totals', async () => {
    const world = await createProvidingWorld({ provide: { cap: { bytes: '10 MB' } } });
    world.machine.count('forwarded_up', 1, 4_000_000);
    world.machine.count('forwarded_down', 1, 1_000_000);
    await world.loop.tick();
    expect(world.state.path.observed?.table?.quotas.get('cap')?.bytes).toBe(5_000_000);
    expect(world.isOpen()).toBe(true);
  });

  test('opens nothing where the kernel does not hold the rules as they were given, and tells the service none after half a minute', async () => {
    const world = await createProvidingWorld();
    const { exec } = world.machine;
    // A kernel that takes the script and drops a rule of it.
    world.tamper((command) =>
      command.program === 'nft' && command.args[0] === '-f'
        ? exec({ ...command, input: (command.input ?? '').replace(/.*comment "uplink".*\n/, '') })
        : exec(command),
    );
    await exec({
      program: 'nft',
      args: ['-f', '-'],
      input: 'delete table inet tributary\n',
      doing: 'test',
    });
    const told = vi.spyOn(world.wakeups.announce, 'notify');
    await world.loop.tick();
    expect(world.isOpen()).toBe(false);
    expect(world.state.mode.decision).toEqual({
      permit: false,
      mode: 'public',
      reasons: ['unfenced'],
      devices: [],
    });
    expect(told).not.toHaveBeenCalled();
    vi.useFakeTimers({ now: Date.now() + longestUnfencedMs, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await world.loop.tick();
    expect(world.isOpen()).toBe(false);
    expect(world.state.mode.decision).toEqual({
      permit: false,
      mode: 'none',
      reasons: ['unfenced', 'mode-none'],
      devices: [],
    });
    expect(told).toHaveBeenCalledOnce();
    expect(phaseOf(world)).toMatchObject({
      phase: 'blocked',
      reasons: [{ code: 'gateway-failed' }],
    });
  });

  test('that fails renews nothing, says why, and counts as open no longer than the permit lives', async () => {
    const world = await createProvidingWorld({ gateway: { permit_seconds: 15 } });
    world.tamper(async () => {
      throw new TributaryError('missing-program', 'nft is gone');
    });
    await world.loop.tick();
    expect(phaseOf(world)).toMatchObject({
      phase: 'blocked',
      reasons: [{ code: 'missing-program' }],
    });
    const openForMs = (world.state.path.openUntilMs ?? 0) - performance.now();
    expect(openForMs).toBeGreaterThan(0);
    expect(openForMs).toBeLessThanOrEqual(15_000);
  });

  test.each([
    ['went well again', 1, 'public', 0],
    ['failed for half a minute', 0, 'none', 1],
  ])(
    'whose fence %s tells the sources and the service so: %#',
    async (_, isMended, mode, times) => {
      const world = await createProvidingWorld();
      const [tunnel] = world.state.sources.all;
      if (tunnel === undefined) throw new Error('there is no source');
      const followed: unknown[] = [];
      world.sections.sources.all = [{ ...tunnel, follow: (next) => void followed.push(next) }];
      const told = vi.spyOn(world.wakeups.announce, 'notify');
      world.tamper(() => Promise.reject(new TributaryError('command-failed', 'nft is busy')));
      await world.loop.tick();
      expect([followed, told.mock.calls.length]).toEqual([['public'], 0]);
      if (isMended) world.tamper(world.machine.exec);
      vi.useFakeTimers({ now: Date.now() + longestUnfencedMs, toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      await world.loop.tick();
      expect([followed.at(-1), told.mock.calls.length]).toEqual([mode, times]);
      expect(world.state.mode.decision?.permit).toBe(isMended === 1);
    },
  );

  test('that fails before any went well decides nothing, since the mode set by hand is not read yet', async () => {
    const world = await createAgentWorld();
    await world.overrides.set('none', undefined);
    world.tamper(() => Promise.reject(new TributaryError('command-failed', 'no')));
    await world.loop.tick();
    expect(world.state.mode.decision).toBeUndefined();
  });

  test('a tunnel whose steps fail keeps its permit until that runs out, and has the problem', async () => {
    const world = await createProvidingWorld();
    const { openUntilMs } = world.state.path;
    const link = world.machine.links.get(tunnelInterface);
    if (link === undefined) throw new Error('there is no tunnel');
    link.mtu = 1000;
    world.tamper(async (command) => {
      if (command.doing.startsWith('setting the MTU of'))
        throw new TributaryError('command-failed', 'setting the MTU: refused');
      return world.machine.exec(command);
    });
    await world.loop.tick();
    expect(world.state.path.gatewayProblem).toBeUndefined();
    expect(world.facts().sources[0]?.problem?.message).toBe('setting the MTU: refused');
    expect(world.state.path.openUntilMs).toBe(openUntilMs);
    expect(phaseOf(world).phase).toBe('providing');
    world.tamper(world.machine.exec);
    await world.loop.tick();
    expect(world.facts().sources[0]?.problem).toBeUndefined();
    expect(world.state.path.openUntilMs).toBeGreaterThan(openUntilMs ?? 0);
  });

  test('a source that cannot say what it wants keeps its device, and has the problem itself', async () => {
    const world = await createProvidingWorld();
    const [tunnel] = world.state.sources.all;
    if (tunnel === undefined) throw new Error('there is no source');
    const wanted = async () => Promise.reject(new TributaryError('command-failed', 'asking it'));
    world.sections.sources.all = [{ ...tunnel, wanted }];
    await world.loop.tick();
    expect(world.state.path.gatewayProblem).toBeUndefined();
    expect(world.facts().sources[0]?.problem?.message).toBe('asking it');
    expect(world.isOpen()).toBe(true);
  });

  test('a source that cannot be observed keeps what it knew, and its permit until that runs out', async () => {
    const world = await createProvidingWorld();
    const { openUntilMs } = world.state.path;
    world.tamper(async (command) => {
      if (command.program === 'wg') throw new TributaryError('missing-program', 'wg is gone');
      return world.machine.exec(command);
    });
    await world.loop.tick();
    expect(world.state.path.gatewayProblem).toBeUndefined();
    expect(world.facts().sources[0]).toMatchObject({
      problem: { code: 'missing-program' },
      isThere: true,
      life: { since: expect.any(Date) },
    });
    expect(world.state.path.openUntilMs).toBe(openUntilMs);
    world.tamper(world.machine.exec);
    await world.loop.tick();
    expect(world.facts().sources[0]?.problem).toBeUndefined();
    expect(world.state.path.openUntilMs).toBeGreaterThan(openUntilMs ?? 0);
  });

  test('a tunnel that cannot be pointed at its peer has the problem itself', async () => {
    const world = await createProvidingWorld();
    const [tunnel] = world.state.sources.all;
    if (tunnel === undefined) throw new Error('there is no source');
    const settle = async () => Promise.reject(new TributaryError('command-failed', 'pointing it'));
    world.sections.sources.all = [{ ...tunnel, settle }];
    await world.loop.tick();
    expect(world.state.path.gatewayProblem).toBeUndefined();
    expect(world.facts().sources[0]?.problem?.message).toBe('pointing it');
    expect(world.isOpen()).toBe(true);
  });

  test('that meets a bug ends the agent', async () => {
    const world = await createProvidingWorld();
    world.tamper(async () => {
      throw new TypeError('a bug');
    });
    await expect(world.loop.tick()).rejects.toThrow('a bug');
  });

  test('tells the announcing loop of a new mode, once', async () => {
    const world = await createProvidingWorld();
    let notices = 0;
    world.wakeups.announce.notify = () => {
      notices += 1;
    };
    await world.overrides.set('friends', undefined);
    await world.loop.tick();
    await world.loop.tick();
    expect(notices).toBe(1);
  });

  test('that was asked for is a new one, not the one under way', async () => {
    const world = await createProvidingWorld();
    const underWay = world.loop.tick();
    let isServed = false;
    const served = world.loop.enforce().then(() => {
      isServed = true;
    });
    await underWay;
    expect(isServed).toBe(false);
    await world.loop.tick();
    await served;
    expect(isServed).toBe(true);
  });

  test('keeps a tunnel whose endpoint has no address, and takes down one that is no longer issued', async () => {
    const world = await createProvidingWorld();
    world.issued.tunnel = {
      tunnel: 'unresolved',
      refusal: new TributaryError('tunnel-failed', 'no address'),
    };
    await world.loop.tick();
    expect([world.isOpen(), world.facts().sources[0]?.problem?.code]).toEqual([
      true,
      'tunnel-failed',
    ]);
    world.issued.tunnel = { tunnel: undefined, refusal: undefined };
    await world.loop.tick();
    expect([world.isOpen(), world.machine.links.has(tunnelInterface)]).toEqual([false, false]);
  });

  test('follows the schedule of the configuration in force', async () => {
    const world = await createProvidingWorld({
      provide: { schedule: [{ cron: '* * * * *', mode: 'friends' }] },
    });
    expect(world.state.mode).toMatchObject({
      scheduled: 'friends',
      decision: { mode: 'friends', permit: true },
    });
    const { configuration } = world.sections;
    configuration.config = {
      ...configuration.config,
      provide: { ...configuration.config.provide, schedule: [] },
    };
    await world.loop.tick();
    expect(world.state.mode).toMatchObject({ scheduled: undefined, decision: { mode: 'public' } });
  });

  test('holds the line to what is set by hand, by the schedule, or configured, from the pass on that opens it', async () => {
    const rate_limit = { line: '20 Mbit' };
    const world = await createAgentWorld({ provide: { rate_limit } });
    world.shakeHands();
    await world.loop.tick();
    // Half of the limit, in bytes: what UDP may send that nobody asked for.
    const holds = (bits: number) => world.machine.print().includes(`${bits / 16} bytes/second`);
    expect([world.facts().provide.lineLimit, holds(20e6)]).toEqual([
      { bitsPerSecond: 20e6, source: 'configured' },
      true,
    ]);
    const schedule = [{ cron: '* * * * *', mode: 'public', rate_limit: { line: '8 Mbit' } }];
    const { provide } = configSchema.parse({
      service: { base_url: 'https://a.example' },
      provide: { schedule },
    });
    const { configuration } = world.sections;
    configuration.config = { ...configuration.config, provide };
    await world.loop.tick();
    expect([world.facts().provide.lineLimit, holds(8e6)]).toEqual([
      { bitsPerSecond: 8e6, source: 'schedule' },
      true,
    ]);
    await world.overrides.set('friends', undefined, 3e6);
    await world.loop.tick();
    expect([world.facts().provide.lineLimit, holds(3e6)]).toEqual([
      { bitsPerSecond: 3e6, source: 'override' },
      true,
    ]);
    await world.overrides.set('friends');
    await world.loop.tick();
    expect(world.facts().provide.lineLimit).toEqual({ bitsPerSecond: 8e6, source: 'schedule' });
  });

  test('says from when on only what is open goes on, and the kernel knows', async () => {
    const world = await createProvidingWorld({ provide: { cap: { bytes: '10 MB' } } });
    world.machine.count('forwarded_down', 1, 9_700_000);
    await world.loop.tick();
    expect(phaseOf(world)).toEqual({ phase: 'providing', reasons: [] });
    world.machine.count('forwarded_down', 1, 100_000);
    await world.loop.tick();
    const { phase, reasons } = phaseOf(world);
    expect([phase, reasons[0]?.code, reasons[0]?.message]).toEqual([
      'providing',
      'cap-ending',
      'The data cap of 10.0 MB is almost used up: new connections are refused until the next period.',
    ]);
    await world.loop.tick();
    expect(phaseOf(world).reasons.find(({ code }) => code === 'cap-ending')).toEqual(reasons[0]);
  });

  test('keeps when a problem began, and forgets it when it is over', async () => {
    const world = await createProvidingWorld();
    world.issued.tunnel = {
      ...world.issued.tunnel,
      refusal: new TributaryError('wireguard-text-refused', 'nonsense'),
    };
    await world.loop.tick();
    const since = world.facts().sources[0]?.problem?.since;
    await world.loop.tick();
    expect(world.facts().sources[0]?.problem).toMatchObject({
      code: 'wireguard-text-refused',
      since,
    });
    world.issued.tunnel = { ...world.issued.tunnel, refusal: undefined };
    await world.loop.tick();
    expect(world.facts().sources[0]?.problem).toBeUndefined();
  });

  /** What nft is asked and told from now on. */
  function watchNft(world: Awaited<ReturnType<typeof createProvidingWorld>>): string[] {
    const lines: string[] = [];
    const { exec } = world.machine;
    world.tamper((command) => {
      if (command.program === 'nft')
        lines.push(command.args[0] === '-f' ? command.doing : command.args.join(' '));
      return exec(command);
    });
    return lines;
  }

  const renewed = 'renewing the permit to forward';

  test('loads the rules once more when another program has changed the table, whatever the listing says', async () => {
    const world = await createProvidingWorld();
    await world.loop.tick();
    const lines = watchNft(world);
    world.watched.isChanged = true;
    await world.loop.tick();
    expect(lines.filter((line) => !line.startsWith('-j'))).toEqual([
      'installing the gateway',
      renewed,
    ]);
    world.watched.isChanged = false;
    lines.length = 0;
    await world.loop.tick();
    expect(lines.filter((line) => !line.startsWith('-j'))).toEqual([renewed]);
    expect(world.isOpen()).toBe(true);
  });

  const read = '-j list table inet tributary';

  const held = '-j list set inet tributary permit';

  test('renews the permit alone while the monitor vouches for the table', async () => {
    const world = await createRestingWorld();
    const lines = watchNft(world);
    await world.loop.tick();
    expect(lines).toEqual([held, renewed]);
  });

  test.each([
    { rxBytes: 32, txBytes: 48 },
    { rxBytes: 2_000, txBytes: 3_000 },
  ])('starts no program for what WireGuard itself and the kernel carried: %j', async (given) => {
    const world = await createRestingWorld();
    const programs: string[] = [];
    const { exec } = world.machine;
    world.tamper((command) => {
      programs.push(command.program);
      return exec(command);
    });
    for (let count = 0; count < 3; count += 1) {
      const link = world.machine.links.get(tunnelInterface);
      if (link?.traffic !== undefined)
        link.traffic = {
          ...link.traffic,
          rxBytes: link.traffic.rxBytes + given.rxBytes,
          txBytes: link.traffic.txBytes + given.txBytes,
        };
      await world.loop.tick();
    }
    expect(programs).not.toContain('tc');
  });

  test('renews no permit that a probe has taken away before it has read why', async () => {
    const world = await createRestingWorld();
    // As the rule does: no monitor tells of it.
    await applyNft(
      world.machine.exec,
      `delete element inet tributary permit { "${tunnelInterface}" }`,
      'a probe',
    );
    expect(world.isOpen()).toBe(false);
    const lines = watchNft(world);
    await world.loop.tick();
    expect(lines).toEqual([held, read, renewed]);
  });

  test('judges no self-test whose packets met rules that another program had changed', async () => {
    const world = await createRestingWorld();
    const { selfTest } = world.sections.path;
    world.watched.isChanged = true;
    for (let count = 0; count < 5; count += 1) await world.loop.tick();
    expect(world.sections.path.selfTest).toEqual(selfTest);
  });

  test('reads the table in a pass that a caller waits for', async () => {
    const world = await createRestingWorld();
    const lines = watchNft(world);
    const asked = world.loop.enforce();
    await world.loop.tick();
    await asked;
    expect(lines[0]).toBe(read);
  });

  const doubts: readonly (readonly [string, (world: World) => unknown])[] = [
    ['a stranger has changed it', ({ watched }) => Object.assign(watched, { isChanged: true })],
    ['no monitor vouches for it', ({ watched }) => Object.assign(watched, { isVouched: false })],
    [
      'it is not known what the tunnel carried',
      ({ machine }) =>
        Object.assign(machine.links.get(tunnelInterface) ?? {}, { traffic: undefined }),
    ],
    [
      'the permit may have run out',
      ({ sections }) => Object.assign(sections.path, { openUntilMs: performance.now() - 1 }),
    ],
    [
      'a self-test has failed',
      ({ sections }) =>
        Object.assign(sections.path, {
          selfTest: {
            failure: { code: 'self-test-failed', message: 'no', since: new Date() },
            lostTimes: 0,
          },
        }),
    ],
    [
      'its listing was not seen',
      ({ sections: { path } }) => Object.assign(path.observed ?? {}, { record: undefined }),
    ],
  ];

  test.each(doubts)('reads the table where %s', async (_, doubt) => {
    const world = await createRestingWorld();
    doubt(world);
    const lines = watchNft(world);
    await world.loop.tick();
    expect(lines[0]).toBe(read);
  });

  test('reads the table each time where a cap is to be kept', async () => {
    const world = await createRestingWorld({
      provide: { cap: { bytes: '1 GB', period: 'month' } },
    });
    const lines = watchNft(world);
    await world.loop.tick();
    expect(lines).toEqual([read, renewed]);
  });

  test('reads the table in the same pass where consumers have used the tunnel', async () => {
    const world = await createRestingWorld();
    const link = world.machine.links.get(tunnelInterface);
    if (link?.traffic !== undefined) link.traffic = { ...link.traffic, rxBytes: 100_000 };
    world.machine.count('forwarded_down', 90, 90_000);
    await world.loop.tick();
    expect(world.facts().gateway.forwardedBytes?.down).toBe(90_000);
    const lines = watchNft(world);
    await world.loop.tick();
    expect(lines).toEqual([held, renewed]);
  });

  test('closes by a table that is vouched for', async () => {
    const world = await createRestingWorld();
    await world.overrides.set('none', undefined);
    await world.loop.tick();
    expect(world.isOpen()).toBe(false);
    await world.overrides.clear();
    await world.loop.tick();
    expect(world.isOpen()).toBe(true);
  });
});

describe('a state file that traffic depends on and that cannot be read', () => {
  const capped = { provide: { cap: { bytes: '1 GB' } } };
  test.each<[string, string, object, (path: string) => unknown]>([
    ['usage', 'a directory', {}, (path) => mkdir(path)],
    ['usage', 'a pipe', {}, (path) => execFileSync('mkfifo', [path])],
    ['usage', 'garbage, with a cap', capped, (path) => writeFile(path, 'garbage')],
    ['override', 'garbage', {}, (path) => writeFile(path, 'garbage')],
    ['override', 'a directory', {}, (path) => mkdir(path)],
    ['override', 'a pipe', {}, (path) => execFileSync('mkfifo', [path])],
    ['override', 'a link', {}, (path) => symlink('/dev/zero', path)],
  ])(
    '%s.json as %s blocks, names the file, and is forgotten once it can be read',
    async (name, _, given, spoil) => {
      const world = await createAgentWorld(given);
      const path = join(world.directory, `${name}.json`);
      await spoil(path);
      for (let pass = 0; pass < 2; pass += 1) {
        await world.loop.tick();
        world.shakeHands();
        expect(world.isOpen()).toBe(false);
        const { phase, reasons } = phaseOf(world);
        expect([phase, reasons[0]?.code]).toEqual(['blocked', 'state-unreadable']);
        expect(reasons[0]?.message).toContain(path);
      }
      await rm(path, { recursive: true });
      await world.loop.tick();
      world.shakeHands();
      await world.loop.tick();
      expect(phaseOf(world)).toEqual({ phase: 'providing', reasons: [] });
      expect(world.isOpen()).toBe(true);
    },
  );
});

describe('a handshake that is overdue', () => {
  /** How often the service was rung for in so many seconds of passes. */
  async function countRings(
    world: Awaited<ReturnType<typeof createProvidingWorld>>,
    seconds = 60,
  ): Promise<number> {
    const notify = vi.spyOn(world.wakeups.service, 'notify');
    notify.mockClear();
    for (let second = 0; second < seconds; second += 5) {
      vi.advanceTimersByTime(5_000);
      await world.loop.tick();
    }
    return notify.mock.calls.length;
  }

  /** Providing, with a handshake of now. */
  const createShaken = () => createProvidingWorld();

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('rings the service, once', async () => {
    const world = await createShaken();
    expect(await countRings(world, 150)).toBe(0);
    expect(await countRings(world, 1_800)).toBe(1);
  });

  test('rings again after the next handshake', async () => {
    const world = await createShaken();
    expect(await countRings(world, 200)).toBe(1);
    world.shakeHands();
    expect(await countRings(world, 200)).toBe(1);
  });

  test('rings once where there was none yet, and not before it may be there', async () => {
    const world = await createAgentWorld();
    await world.loop.tick();
    expect(await countRings(world, 10)).toBe(0);
    expect(await countRings(world, 600)).toBe(1);
  });

  test.each(['rate-limited', 'service-failed', 'client-limit-exceeded', 'signed-out'] as const)(
    'waits where the service said %s',
    async (code) => {
      const world = await createShaken();
      const topic = {
        'client-limit-exceeded': 'registrationProblem',
        'signed-out': 'signInProblem',
      } as const;
      const { service } = world.sections;
      service[code in topic ? topic[code as keyof typeof topic] : 'problem'] = {
        code,
        message: '',
        since: new Date(),
      };
      expect(await countRings(world, 600)).toBe(0);
    },
  );

  test('rings where the last answer of the service was lost', async () => {
    const world = await createShaken();
    world.sections.service.problem = {
      code: 'service-unreachable',
      message: '',
      since: new Date(),
    };
    expect(await countRings(world, 600)).toBe(1);
  });

  test('rings the service, once, for any other source that asks for it', async () => {
    const world = await createShaken();
    const all = [...world.state.sources.all];
    const [tunnel] = all;
    if (tunnel === undefined) throw new Error('there is no source');
    let since = new Date(0);
    const program: Source = {
      ...tunnel,
      driver: { ...tunnel.driver, name: 'program', device: 'program0' },
      wanted: async () => ({ wish: { kind: 'absent', device: 'program0' }, problem: undefined }),
      report: () => ({
        isThere: true,
        life: { since, until: since },
        traffic: undefined,
        consumers: undefined,
        market: undefined,
        asksService: true,
      }),
    };
    world.sections.sources.all = [...all, program];
    expect(await countRings(world, 60)).toBe(1);
    since = new Date();
    expect(await countRings(world, 60)).toBe(1);
  });

  test('rings nobody where no tunnel was issued', async () => {
    const world = await createAgentWorld();
    world.issued.tunnel = { tunnel: undefined, refusal: undefined };
    await world.loop.tick();
    expect(await countRings(world, 600)).toBe(0);
  });
});
