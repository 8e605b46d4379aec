import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createLineShaper, type LineWish } from '../../src/data-path/line-shaper.ts';
import { TributaryError } from '../../src/errors/codes.ts';
import { lineDevice } from '../../src/gateway/line-tree.ts';
import { dialects } from '../../src/system/dialects.ts';
import { type Exec, exec } from '../../src/system/exec.ts';
import { observeInterfaces } from '../../src/system/ip.ts';
import { createTalkingExec } from '../../src/system/talking-exec.ts';
import { isInsideLab } from '../../tools/lab/network.ts';

const netns = `line-${randomBytes(3).toString('hex')}`;
const wish: LineWish = {
  devices: ['tunnel0'],
  uplink: 'up0',
  limitBits: 20e6,
  overheadBytes: 60,
};
const inside: Exec = (command) => {
  const { talk: _, ...alone } = command;
  return exec({
    ...alone,
    program: 'ip',
    args: ['netns', 'exec', netns, command.program, ...command.args],
  });
};
const tc = (...args: readonly string[]) =>
  execFileSync('ip', ['netns', 'exec', netns, 'tc', ...args], { encoding: 'utf8' });
const pass = async (
  shaper: ReturnType<typeof createLineShaper>,
  changes: Partial<LineWish> = {},
  isVouched = false,
) =>
  shaper.reconcile(
    { ...wish, ...changes },
    { interfaces: await observeInterfaces(inside), isVouched },
  );
const rates = () =>
  [...tc('class', 'show', 'dev', lineDevice).matchAll(/class htb 1:2 root rate (\S+)/g)].map(
    ([, rate]) => rate,
  );
const redirects = (device: string) =>
  tc('filter', 'show', 'dev', device, 'egress').match(/Redirect/g)?.length ?? 0;

// Namespaces can only be made inside tools/lab/enter.sh.
describe.skipIf(!isInsideLab())('the tree that holds the line', () => {
  beforeAll(() => {
    const lines = [
      'link add tunnel0 type veth peer name tunnel1',
      'link add up0 type veth peer name far0',
    ];
    execFileSync('ip', ['netns', 'add', netns]);
    for (const line of [
      ...lines,
      ...['tunnel0', 'tunnel1', 'up0', 'far0', 'lo'].map((name) => `link set ${name} up`),
    ])
      execFileSync('ip', ['-n', netns, ...line.split(' ')]);
  });
  afterAll(() => execFileSync('ip', ['netns', 'delete', netns]));

  test('is made once, holds both directions, and is left alone then', async () => {
    const commands: string[] = [];
    const shaper = createLineShaper((command) => {
      commands.push(`${command.program} ${command.args.join(' ')}`);
      return inside(command);
    });
    expect(await pass(shaper)).toMatchObject({ kind: 'one-tree' });
    expect(rates()).toEqual(['20Mbit']);
    expect([redirects('tunnel0'), redirects('up0')]).toEqual([1, 1]);
    commands.length = 0;
    expect(await pass(shaper)).toMatchObject({ kind: 'one-tree' });
    expect(commands).toEqual(['tc -batch -']);
    await pass(shaper, {}, true);
    expect(commands).toHaveLength(1);
  });

  test.each([
    ['the tree', () => tc('qdisc', 'del', 'dev', lineDevice, 'root')],
    [
      'a class',
      () =>
        tc(
          'class',
          'change',
          'dev',
          lineDevice,
          'parent',
          '1:',
          'classid',
          '1:2',
          'htb',
          'rate',
          '90mbit',
        ),
    ],
    ['the way in from the tunnel', () => tc('filter', 'del', 'dev', 'tunnel0', 'egress')],
    ['the way in from the uplink', () => tc('qdisc', 'del', 'dev', 'up0', 'clsact')],
    ['the device', () => execFileSync('ip', ['-n', netns, 'link', 'delete', lineDevice])],
    [
      'the device, down',
      () => execFileSync('ip', ['-n', netns, 'link', 'set', lineDevice, 'down']),
    ],
  ])('comes back when a stranger takes out %s', async (_, break_) => {
    const shaper = createLineShaper(inside);
    await pass(shaper);
    break_();
    await pass(shaper);
    expect(rates()).toEqual(['20Mbit']);
    expect([redirects('tunnel0'), redirects('up0')]).toEqual([1, 1]);
    expect(tc('-s', 'qdisc', 'show', 'dev', lineDevice).match(/parent 1:/g)).toHaveLength(129);
  });

  test.each([
    ['no such device', /type ifb/, { kind: 'two-trees' }],
    ['no shaping at all', /htb/, undefined],
    ['no tc', /^tc /, undefined],
  ])('gives way to the next best where the kernel has %s', async (_, isMissing, way) => {
    const shaper = createLineShaper(async (command) => {
      const text = `${command.program} ${command.args.join(' ')} ${command.input ?? ''}`;
      if (isMissing.test(text))
        throw new TributaryError('command-failed', 'this kernel has no such thing');
      return inside(command);
    });
    if (way === undefined) expect(await pass(shaper)).toBeUndefined();
    else expect(await pass(shaper)).toMatchObject(way);
    expect(await shaper.setRate(5e6)).toBe(way !== undefined);
    const isHalved = (device: string) =>
      /class htb 1:2 root rate 2500Kbit/.test(tc('class', 'show', 'dev', device));
    expect([isHalved('tunnel0'), isHalved('up0')]).toEqual([way !== undefined, way !== undefined]);
    expect(redirects('tunnel0')).toBe(0);
    await shaper.takeOut(wish, await observeInterfaces(inside));
    expect(tc('qdisc', 'show')).not.toContain('htb');
  });

  test.each(['tunnel0', 'up0'])(
    'does not take a %s that is gone for a kernel that shapes nothing',
    async (gone) => {
      const move = (from: string, to: string) => {
        for (const words of [`${from} down`, `${from} name ${to}`, `${to} up`])
          execFileSync('ip', ['-n', netns, 'link', 'set', ...words.split(' ')]);
      };
      const shaper = createLineShaper(inside);
      await pass(shaper, { limitBits: undefined });
      move(gone, 'away0');
      expect(await shaper.setRate(3e6)).toBe(true);
      move('away0', gone);
      expect(await pass(shaper, { limitBits: undefined })).toMatchObject({ kind: 'one-tree' });
      expect(rates()).toEqual(['3Mbit']);
      await shaper.setRate(undefined);
    },
  );

  test('follows the household at once by the kept program, and the owner where that is less', async () => {
    const commands: string[] = [];
    const kept = createTalkingExec(
      async (command) => {
        commands.push(command.program);
        return inside(command);
      },
      {
        ...dialects,
        tc: { ...dialects.tc, argv: ['ip', 'netns', 'exec', netns, ...dialects.tc.argv] },
      },
    );
    onTestFinished(kept.close);
    const shaper = createLineShaper(kept.exec);
    await pass(shaper);
    commands.length = 0;
    for (const [bits, rate] of [
      [5e6, '5Mbit'],
      [1e6, '1Mbit'],
      [30e6, '20Mbit'],
      [undefined, '20Mbit'],
    ] as const) {
      expect(await shaper.setRate(bits)).toBe(true);
      expect(rates()).toEqual([rate]);
      expect(await pass(shaper)).toMatchObject({ kind: 'one-tree' });
    }
    expect(commands).toEqual([]);
  });

  test('lets all pass by where nothing limits, and holds what the household leaves', async () => {
    const shaper = createLineShaper(inside);
    await pass(shaper, { limitBits: undefined });
    expect([redirects('tunnel0'), redirects('up0')]).toEqual([0, 0]);
    await shaper.setRate(3e6);
    expect(rates()).toEqual(['3Mbit']);
    await shaper.setRate(undefined);
    expect([redirects('tunnel0'), redirects('up0')]).toEqual([0, 0]);
  });

  test('is gone after a tear-down, with its entrances, but for what others put there', async () => {
    const shaper = createLineShaper(inside);
    await pass(shaper);
    await shaper.takeOut(wish, await observeInterfaces(inside));
    expect(tc('qdisc', 'show')).not.toMatch(/htb|clsact ffff: dev up0/);
    await pass(shaper);
    tc(...'filter add dev up0 ingress pref 1 protocol ip u32 match u32 0 0 flowid 1:1'.split(' '));
    // As the next process finds it.
    await createLineShaper(inside).takeOut(wish, await observeInterfaces(inside));
    expect([redirects('up0'), tc('qdisc', 'show', 'dev', 'up0')]).toEqual([
      0,
      expect.stringContaining('clsact'),
    ]);
  });

  test('lets nothing more out once it is flushed', async () => {
    const shaper = createLineShaper(inside);
    await pass(shaper, { limitBits: 64e3 });
    const device = async () =>
      (await observeInterfaces(inside)).find(({ name }) => name === lineDevice);
    await shaper.flush();
    expect(await device()).toMatchObject({ isUp: false });
    await pass(shaper, { limitBits: 64e3 });
    expect(await device()).toMatchObject({ isUp: true });
  });
});
