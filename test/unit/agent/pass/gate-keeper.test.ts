import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { judgePhase } from '../../../../src/health/phase.ts';
import type { ProvideMode } from '../../../../src/service/profiles.ts';
import type { Exec } from '../../../../src/system/exec.ts';
import { requestName } from '../../../../src/system/host-request.ts';
import { waitUntil } from '../../../patience.ts';
import { createAgentWorld, createProvidingWorld, tunnelInterface, uplink } from '../agent-world.ts';

type World = Awaited<ReturnType<typeof createProvidingWorld>>;
type Command = Parameters<Exec>[0];

const isGrant = ({ input = '' }: Command) => input.includes('elements') && input.includes('permit');
const schedule = [{ cron: '* * * * *', mode: 'friends' }];
const setNone = ({ loop, overrides }: World) => loop.enforce(overrides.set('none', undefined));

/** From now on each of these commands waits to be let go. */
function hold(world: World, isHeld: (command: Command) => boolean) {
  const reached = Promise.withResolvers<void>();
  const letIt = Promise.withResolvers<void>();
  world.tamper(async (command) => {
    if (isHeld(command)) {
      reached.resolve();
      await letIt.promise;
    }
    return world.machine.exec(command);
  });
  return { reached: reached.promise, letGo: () => letIt.resolve() };
}

test.each<readonly [string, object, ProvideMode | undefined, ProvideMode]>([
  ['the configured one', {}, undefined, 'public'],
  ['the scheduled one before it', { schedule }, undefined, 'friends'],
  ['the one set by hand before both', { schedule }, 'none', 'none'],
])('the mode is %s', async (_claim, provide, byHand, expected) => {
  const world = await createAgentWorld({ provide: { mode: 'public', ...provide } });
  if (byHand !== undefined) await world.overrides.set(byHand);
  await world.loop.tick();
  expect(world.state.mode.decision?.mode).toBe(expected);
});

describe('on a clock that was never set', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 600_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  test('a schedule shares nothing and says why, until the clock is set', async () => {
    const world = await createProvidingWorld({ provide: { mode: 'public', schedule } });
    const look = () => ({
      isOpen: world.isOpen(),
      mode: world.state.mode.decision?.mode,
      pause: world.facts().provide.pause,
    });
    const since = new Date(600_000);
    expect(look()).toMatchObject({
      isOpen: false,
      mode: 'none',
      pause: { code: 'clock-unset', since },
    });
    const { phase, reasons } = judgePhase(world.facts(), new Date());
    expect([phase, reasons.map(({ code }) => code)]).toEqual(['paused', ['clock-unset']]);
    vi.setSystemTime(660_000);
    await world.loop.tick();
    expect(look().pause?.since).toEqual(since);
    vi.setSystemTime(Date.UTC(2026, 4, 4));
    world.shakeHands();
    await world.loop.tick();
    expect(look()).toEqual({ isOpen: true, mode: 'friends', pause: undefined });
  });

  test.each<readonly [string, object, ProvideMode | undefined, ProvideMode]>([
    ['the configured mode holds without a schedule', {}, undefined, 'public'],
    ['a mode set by hand holds beside a schedule', { schedule }, 'network', 'network'],
  ])('%s', async (_, provide, byHand, expected) => {
    const world = await createAgentWorld({ provide: { mode: 'public', ...provide } });
    if (byHand !== undefined) await world.overrides.set(byHand, 3600);
    await world.loop.tick();
    world.shakeHands();
    await world.loop.tick();
    expect(world.facts().provide.pause).toBeUndefined();
    expect([world.state.mode.decision?.mode, world.isOpen()]).toEqual([expected, true]);
  });
});

describe('a service that has a wider mode than the wanted one', () => {
  const provide = { mode: 'friends' };
  const look = (world: World) => {
    const { phase, reasons } = judgePhase(world.facts(), new Date());
    return [world.isOpen(), phase, reasons[0]?.code];
  };
  const shut = [false, 'connecting', 'mode-not-applied'];
  const open = [true, 'providing', undefined];

  test('is sent no consumer’s packet until it has that one, and it is told all the while', async () => {
    const world = await createProvidingWorld({ provide });
    expect(look(world)).toEqual(open);
    await world.confirmedMode.note('public');
    await world.loop.tick();
    expect(look(world)).toEqual(shut);
    expect(world.state.mode.decision?.mode).toBe('friends');
    const { message, since } = world.facts().provide.wider ?? {};
    expect(message).toContain('has public, which lets in more people than friends');
    await world.loop.tick();
    expect(world.facts().provide.wider?.since).toEqual(since);
    await world.confirmedMode.note('friends');
    // It is not said to have more than was asked for until the next pass.
    expect(world.facts().provide.wider).toBeUndefined();
    await world.loop.tick();
    expect(look(world).slice(0, 2)).toEqual(open.slice(0, 2));
  });

  test('is said to have too much as soon as the owner wants less', async () => {
    const world = await createProvidingWorld({ provide });
    await world.confirmedMode.note('friends');
    await world.overrides.set('network', 3600);
    await world.loop.tick();
    expect(look(world)).toEqual(shut);
    expect(world.facts().provide.wider?.message).toContain('more people than network');
  });

  test.each<readonly [ProvideMode, ProvideMode | undefined]>([
    ['friends', 'network'],
    ['network', undefined],
    ['public', 'default'],
    ['default', 'public'],
    ['public', 'stream'],
  ])('is not one that was asked for %s and has %s', async (mode, has) => {
    const world = await createProvidingWorld({ provide: { mode } });
    await world.confirmedMode.note(has);
    await world.loop.tick();
    expect(look(world)).toEqual(open);
  });

  test.each<readonly [string, object, boolean | undefined]>([
    ['said so', {}, false],
    ['speaks a dialect in which it does not', { profile: 'production' }, undefined],
  ])('is left as it is where it lets no device set its mode and %s', async (_, more, isServed) => {
    const service = { base_url: 'https://service.example', ...more };
    const world = await createProvidingWorld({ service, provide });
    world.sections.announcement.isServed = isServed;
    await world.confirmedMode.note('public');
    await world.loop.tick();
    expect(look(world)).toEqual(open);
  });

  test('closes the gateway at once, also while a pass is under way', async () => {
    const world = await createProvidingWorld();
    await world.confirmedMode.note('public');
    const held = hold(world, ({ doing }) => doing.startsWith('reading'));
    const pass = world.loop.tick();
    await held.reached;
    const asked = world.loop.enforce(world.overrides.set('friends'));
    await waitUntil(() => expect(world.isOpen()).toBe(false));
    held.letGo();
    await pass;
    expect(world.isOpen()).toBe(false);
    await world.loop.tick();
    await asked;
    expect(look(world)).toEqual(shut);
  });
});

describe('mode none', () => {
  test('is in force while a pass is still under way, which grants nothing after it', async () => {
    const world = await createProvidingWorld();
    const held = hold(world, ({ doing }) => doing.startsWith('reading'));
    const pass = world.loop.tick();
    await held.reached;
    const asked = setNone(world);
    await waitUntil(() => expect(world.isOpen()).toBe(false));
    held.letGo();
    await pass;
    expect(world.isOpen()).toBe(false);
    await world.loop.tick();
    await asked;
    expect(world.isOpen()).toBe(false);
  });

  test('comes after a grant that is under way', async () => {
    const world = await createProvidingWorld();
    const held = hold(world, isGrant);
    const pass = world.loop.tick();
    await held.reached;
    // A revocation that did not wait for the grant would be in the kernel before it.
    const asked = setNone(world);
    held.letGo();
    await pass;
    await waitUntil(() => expect(world.isOpen()).toBe(false));
    await world.loop.tick();
    await asked;
    expect(world.isOpen()).toBe(false);
  });

  test('holds against a pass that had decided before, and had not granted yet', async () => {
    const world = await createProvidingWorld();
    await world.overrides.set('none', undefined);
    await world.loop.tick();
    await world.overrides.clear();
    let asked: Promise<void> | undefined;
    // The decision is made, and the announcement is told of it.
    vi.spyOn(world.wakeups.announce, 'notify').mockImplementationOnce(() => {
      asked = setNone(world);
    });
    await world.loop.tick();
    expect(asked).toBeDefined();
    expect(world.isOpen()).toBe(false);
    await world.loop.tick();
    await asked;
    expect(world.isOpen()).toBe(false);
  });

  test('is decided, and the service told, where a pass fails before it decides', async () => {
    const world = await createProvidingWorld();
    world.tamper(() => Promise.reject(new TributaryError('command-failed', 'no tunnel')));
    const told = vi.spyOn(world.wakeups.announce, 'notify');
    const asked = setNone(world);
    await world.loop.tick();
    await asked;
    expect(world.state.mode.decision?.mode).toBe('none');
    expect(told).toHaveBeenCalled();
  });

  test('that the kernel does not take at once is tried again by the next pass', async () => {
    const world = await createProvidingWorld();
    const refuse = vi.fn(() => Promise.reject(new TributaryError('command-failed', 'no')));
    world.tamper(refuse);
    const asked = setNone(world);
    await waitUntil(() => expect(refuse).toHaveBeenCalled());
    world.tamper(world.machine.exec);
    await world.loop.tick();
    await asked;
    expect(world.isOpen()).toBe(false);
  });
});

describe('what consumers had open', () => {
  const watch = (world: World) => {
    const forgotten: string[] = [];
    world.tamper((command) => {
      if (command.program !== 'conntrack') return world.machine.exec(command);
      forgotten.push(command.args.join(' '));
      return Promise.reject(
        new TributaryError('command-failed', '0 flow entries have been deleted.'),
      );
    });
    return forgotten;
  };
  const both = ['ipv4', 'ipv6'].map(
    (family) => `-D -f ${family} --src-nat --mark 0x54000000/0xff000000`,
  );

  test.each<readonly [string, (world: World) => unknown]>([
    ['mode none', ({ overrides }) => overrides.set('none', undefined)],
    ['the cap', ({ machine }) => machine.count('forwarded_down', 10, 10_000_000)],
  ])('is forgotten once when %s ends it, and again at the next end', async (_, close) => {
    const world = await createProvidingWorld({ provide: { cap: { bytes: '10 MB' } } });
    const forgotten = watch(world);
    await world.loop.tick();
    const isAsked = () => existsSync(join(world.directory, requestName));
    expect([forgotten, isAsked()]).toEqual([[], false]);
    await close(world);
    for (let count = 0; count < 2; count += 1) await world.loop.tick();
    expect([forgotten, isAsked()]).toEqual([both, true]);
    world.sections.configuration.config = {
      ...world.state.configuration.config,
      provide: { ...world.state.configuration.config.provide, cap: undefined },
    };
    await world.overrides.clear();
    await world.loop.tick();
    expect(world.isOpen()).toBe(true);
    await world.overrides.set('none', undefined);
    await world.loop.tick();
    expect(forgotten).toEqual([...both, ...both]);
  });

  test.each<readonly [string, (world: World) => unknown]>([
    [
      'the uplink is down',
      ({ machine }) => Object.assign(machine.links.get(uplink) ?? {}, { isUp: false }),
    ],
    [
      'the other end is silent',
      ({ machine }) =>
        Object.assign(machine.links.get(tunnelInterface) ?? {}, {
          traffic: { lastHandshakeAt: 0, rxBytes: 0, txBytes: 0 },
        }),
    ],
  ])('outlives that %s', async (_, fail) => {
    const world = await createProvidingWorld();
    const forgotten = watch(world);
    await fail(world);
    await world.loop.tick();
    expect([world.isOpen(), forgotten]).toEqual([false, []]);
    expect(existsSync(join(world.directory, requestName))).toBe(false);
  });
});
