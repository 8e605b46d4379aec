import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { applyTunnel, moveEndpoint } from '../../../../src/source/wireguard/apply.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import type { TunnelStep } from '../../../../src/source/wireguard/plan.ts';
import { renderWireGuard } from '../../../../src/source/wireguard/render.ts';
import type { Exec } from '../../../../src/system/exec.ts';
import { createIssued, renderIssuedText } from './issued-fixture.ts';

const settings = {
  spec: parseIssuedTunnel(createIssued(renderIssuedText()), { isServiceOnLoopback: false }),
  endpoint: '198.51.100.1:51820',
  persistentKeepaliveSeconds: 25,
};

/** A machine that takes every command and remembers it; `refuse` names those that fail, and how. */
async function createMachine(refuse: Readonly<Record<string, Error>> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-apply-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const commands: Parameters<Exec>[0][] = [];
  const exec: Exec = async (command) => {
    commands.push(command);
    const error = refuse[[command.program, ...command.args].join(' ')] ?? refuse[command.program];
    if (error !== undefined) throw error;
    return '';
  };
  const controlDirectory = join(directory, 'control');
  await mkdir(controlDirectory);
  return {
    exec,
    directory,
    host: { exec, stateDirectory: directory, controlDirectory },
    socket: join(controlDirectory, 'wg9.sock'),
    commands,
    lines: () => commands.map(({ program, args }) => [program, ...args].join(' ')),
  };
}

const step = (rest: Omit<TunnelStep, 'interface'>) => ({ interface: 'wg9', ...rest }) as TunnelStep;

describe('a step', () => {
  test.each<[TunnelStep, string, string]>([
    [step({ kind: 'delete-link' }), 'ip link delete wg9', 'removing the interface wg9'],
    [
      { interface: 'wg9', kind: 'create-link', backend: 'kernel' },
      'ip link add wg9 type wireguard',
      'making the WireGuard interface wg9',
    ],
    [
      { interface: 'wg9', kind: 'create-link', backend: 'auto' },
      'ip link add wg9 type wireguard',
      'making the WireGuard interface wg9',
    ],
    [
      { interface: 'wg9', kind: 'create-link', backend: 'userspace' },
      'wireguard-go wg9',
      'starting wireguard-go for wg9',
    ],
    // A single address, and no route that leads to it: an IPv6 one would get its own in the main
    // table.
    [
      { interface: 'wg9', kind: 'add-address', address: '10.1.2.3' },
      'ip address add 10.1.2.3/32 dev wg9 noprefixroute',
      'adding 10.1.2.3',
    ],
    [
      { interface: 'wg9', kind: 'add-address', address: 'fd00::1' },
      'ip address add fd00::1/128 dev wg9 noprefixroute',
      'adding fd00::1',
    ],
    [
      { interface: 'wg9', kind: 'remove-address', address: '10.1.2.3' },
      'ip address delete 10.1.2.3/32 dev wg9',
      'removing address 10.1.2.3',
    ],
    [
      { interface: 'wg9', kind: 'set-mtu', mtu: 1380 },
      'ip link set wg9 mtu 1380',
      'setting the MTU of wg9',
    ],
    [step({ kind: 'set-up' }), 'ip link set wg9 up', 'bringing wg9 up'],
  ])('%j runs one program, and says what it does', async (own, line, doing) => {
    const { host, lines, commands } = await createMachine();
    await applyTunnel(host, [own]);
    expect([lines(), commands[0]?.doing]).toEqual([[line], doing]);
  });

  test('that configures gives wg the text by no disk, and keeps the session of the same peer', async () => {
    const { host, lines, commands } = await createMachine();
    await applyTunnel(host, [{ interface: 'wg9', kind: 'configure', settings }]);
    expect([lines(), commands[0]?.doing]).toEqual([
      ['wg syncconf wg9 /dev/stdin'],
      'configuring wg9',
    ]);
    expect(commands[0]).toMatchObject({ input: renderWireGuard(settings), opensInput: true });
  });

  test('comes after the one before it, and not at all after one that failed', async () => {
    const error = new TributaryError('command-failed', 'no');
    const { host, lines } = await createMachine({ 'ip link set wg9 mtu 1380': error });
    const steps: readonly TunnelStep[] = [
      { interface: 'wg9', kind: 'add-address', address: '10.1.2.3' },
      { interface: 'wg9', kind: 'set-mtu', mtu: 1380 },
      step({ kind: 'set-up' }),
    ];
    await expect(applyTunnel(host, steps)).rejects.toBe(error);
    expect(lines()).toEqual([
      'ip address add 10.1.2.3/32 dev wg9 noprefixroute',
      'ip link set wg9 mtu 1380',
    ]);
  });
});

describe('taking a tunnel down', () => {
  test('removes the control socket that wireguard-go leaves behind: `wg` would ask a dead one', async () => {
    const { host, socket } = await createMachine();
    await writeFile(socket, '');
    await writeFile(join(host.controlDirectory, 'other.sock'), '');
    await applyTunnel(host, [step({ kind: 'delete-link' })]);
    expect([existsSync(socket), existsSync(join(host.controlDirectory, 'other.sock'))]).toEqual([
      false,
      true,
    ]);
  });

  test('keeps the socket of an interface that could not be removed', async () => {
    const { host, socket } = await createMachine({
      ip: new TributaryError('command-failed', 'busy'),
    });
    await writeFile(socket, '');
    await expect(applyTunnel(host, [step({ kind: 'delete-link' })])).rejects.toMatchObject({
      code: 'command-failed',
    });
    expect(existsSync(socket)).toBe(true);
  });

  test('does not fail over a socket that cannot be removed', async () => {
    const { host, socket } = await createMachine();
    await mkdir(socket);
    await applyTunnel(host, [step({ kind: 'delete-link' })]);
    expect(existsSync(socket)).toBe(true);
  });
});

describe('making the interface', () => {
  const add = 'ip link add wg9 type wireguard';
  const failed = new TributaryError('command-failed', 'no such device type');
  const missing = new TributaryError('missing-program', 'not installed');
  const make = (backend: 'auto' | 'kernel' | 'userspace') =>
    ({ interface: 'wg9', kind: 'create-link', backend }) as const;

  test('falls back to wireguard-go, whose log must not keep our pipes open', async () => {
    const { host, lines, commands } = await createMachine({ [add]: failed });
    await applyTunnel(host, [make('auto')]);
    expect(lines()).toEqual([add, 'wireguard-go wg9']);
    expect(commands[1]?.env).toEqual({ LOG_LEVEL: '' });
  });

  test.each<['auto' | 'kernel' | 'userspace', Readonly<Record<string, Error>>, string, string]>([
    [
      'kernel',
      { ip: failed },
      'tunnel-failed',
      'this kernel has no WireGuard: no such device type',
    ],
    ['kernel', { ip: missing }, 'missing-program', 'this kernel has no WireGuard: not installed'],
    [
      'auto',
      { ip: failed, 'wireguard-go': missing },
      'missing-program',
      'neither the kernel nor wireguard-go could make the tunnel interface: not installed',
    ],
    [
      'userspace',
      { 'wireguard-go': failed },
      'tunnel-failed',
      'neither the kernel nor wireguard-go could make the tunnel interface: no such device type',
    ],
  ])('with backend %s fails as it did: %j', async (backend, refuse, code, message) => {
    const { host } = await createMachine(refuse);
    const error = await applyTunnel(host, [make(backend)]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TributaryError);
    expect(error).toMatchObject({ code, message, cause: Object.values(refuse).at(-1) });
  });

  test.each(['kernel', 'userspace'] as const)(
    'with backend %s passes on an error of another kind',
    async (backend) => {
      const bug = new TypeError('a bug');
      const { host } = await createMachine({ ip: bug, 'wireguard-go': bug });
      await expect(applyTunnel(host, [make(backend)])).rejects.toBe(bug);
    },
  );
});

test('a peer that moved is pointed at its new address, and nothing else of it changes', async () => {
  const { exec, lines, commands } = await createMachine();
  await moveEndpoint(exec, {
    interface: 'wg9',
    peerPublicKey: 'key=',
    endpoint: '[2001:db8::1]:1',
  });
  expect(lines()).toEqual(['wg set wg9 peer key= endpoint [2001:db8::1]:1']);
  expect(commands[0]?.doing).toBe('pointing wg9 at [2001:db8::1]:1');
});
