import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runAgent } from '../../src/agent/run-agent.ts';
import { loadConfig } from '../../src/config/load.ts';
import { TributaryError } from '../../src/errors/codes.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { askAgent } from '../../src/status/socket-client.ts';
import type { Exec } from '../../src/system/exec.ts';
import { createDisk } from '../faults/disk.ts';
import { waitUntil } from '../patience.ts';
import { createFakeHost } from '../unit/data-path/fake-host.ts';

// The kernel's settings are the real ones here, so these are interface names that no machine has
// and for which the kernel has no settings.
const uplink = 'fakeuplink9';
const tunnelInterface = 'faketunnel9';
const supervision = {
  notifySocket: undefined,
  watchdogMs: undefined,
  pageDescriptor: undefined,
  isJournal: false,
  runtimeDirectory: undefined,
};

/**
 * An agent of a fake machine, with a real service, a real control socket, and signals of its own.
 */
async function start(
  change: { readonly keepsFence?: boolean; readonly environment?: Record<string, string> } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-run-'));
  const service = await startReferenceService({
    directory: join(directory, 'service'),
    warn: () => undefined,
  });
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, {
    kind: undefined,
    isUp: true,
    mtu: 1500,
    addresses: ['192.168.1.10'],
    configuration: '',
  });
  const untouched = machine.print();
  const leftBehind = join(directory, 'state', '.identity.json.0123abcd');
  await mkdir(join(directory, 'state'), { mode: 0o700 });
  await writeFile(leftBehind, '{"half');
  await utimes(leftBehind, 1, 1);
  const file = join(directory, 'tributary.yaml');
  await writeFile(file, 'provide: { mode: friends }\n');
  const socket = join(directory, 'agent.sock');
  const load = () =>
    loadConfig({
      stateDirectory: join(directory, 'state'),
      configPath: file,
      environment: {
        TRIBUTARY_AUTH_CODE: service.authCode,
        TRIBUTARY_SERVICE_BASE_URL: service.baseUrl,
        TRIBUTARY_TUNNEL_INTERFACE: tunnelInterface,
        TRIBUTARY_STATUS_LISTEN: '127.0.0.1:0',
        TRIBUTARY_STATUS_SOCKET: socket,
        ...change.environment,
      },
    });
  const faults: { instead: Exec | undefined } = { instead: undefined };
  const exec: Exec = (command) => (faults.instead ?? machine.exec)(command);
  const signals = new EventEmitter();
  const lines: string[] = [];
  const stdout = { write: (line: string) => lines.push(line) };
  const options = {
    loaded: await load(),
    load,
    supervision,
    keepsFence: change.keepsFence === true,
    writeSetting: async () => undefined,
  };
  const surroundings = { exec, signals: signals as never, stdout };
  const running = runAgent({ ...options, surroundings });
  // What it ends with is looked at later.
  const ended = running.catch(() => undefined);
  onTestFinished(async () => {
    signals.emit('SIGTERM');
    await ended;
    await service.close();
    // An agent that ended without its disk may still write once the disk answers.
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const waitForPhase = (phase: string) =>
    waitUntil(async () => {
      const link = machine.links.get(tunnelInterface);
      if (link !== undefined)
        link.traffic = { lastHandshakeAt: Date.now() / 1000, rxBytes: 1, txBytes: 1 };
      expect(
        await askAgent({ socketPaths: [socket] }, { method: 'GET', path: '/status.json' }),
      ).toMatchObject({
        phase,
      });
    });
  return {
    directory,
    file,
    socket,
    machine,
    untouched,
    leftBehind,
    faults,
    signals,
    running,
    waitForPhase,
    options,
    surroundings,
    lines,
  };
}

describe('the running agent', () => {
  test('provides, answers on its socket, and leaves no trace after SIGTERM', async () => {
    const { machine, untouched, signals, running, waitForPhase } = await start();
    await waitForPhase('providing');
    machine.count('forwarded_down', 3, 3_000);
    signals.emit('SIGTERM');
    await running;
    expect(machine.print()).toBe(untouched);
    expect(signals.listenerCount('SIGTERM') + signals.listenerCount('SIGHUP')).toBe(0);
  });

  test('writes down at its end what the kernel counted', async () => {
    const { directory, machine, signals, running, waitForPhase } = await start();
    await waitForPhase('providing');
    machine.count('forwarded_down', 3, 3_000);
    signals.emit('SIGINT');
    await running;
    const kept = JSON.parse(await readFile(join(directory, 'state/usage.json'), 'utf8'));
    expect(kept.data).toMatchObject({ totalDownBytes: 3_000, totalDownPackets: 3 });
  });

  test('is found by commands again where the file of its socket was removed', async () => {
    const { socket, signals, waitForPhase } = await start();
    await waitForPhase('providing');
    await rm(socket);
    signals.emit('SIGHUP');
    await waitForPhase('providing');
  });

  test('sweeps away what a killed write left in its state directory', async () => {
    const { leftBehind, waitForPhase } = await start();
    await waitForPhase('providing');
    await expect(stat(leftBehind)).rejects.toThrow('ENOENT');
  });

  test('leaves its table, closed, where it is told to keep the fence', async () => {
    const { machine, signals, running, waitForPhase } = await start({ keepsFence: true });
    await waitForPhase('providing');
    signals.emit('SIGTERM');
    await running;
    expect(machine.print()).toContain('"name":"permit","elem":[]');
    expect(machine.links.has(tunnelInterface)).toBe(false);
  });

  test('takes a changed configuration into force on SIGHUP, and goes on after one that it refuses', async () => {
    const { file, signals, lines, waitForPhase } = await start();
    await waitForPhase('providing');
    await writeFile(file, 'provide: { mode: unheard-of }\n');
    signals.emit('SIGHUP');
    await waitUntil(() => expect(lines.join('')).toContain('the new configuration is refused'));
    await writeFile(file, 'provide: { mode: none }\n');
    signals.emit('SIGHUP');
    await waitForPhase('idle');
  });

  test('that cannot take everything down says so with its error', async () => {
    const { faults, signals, running, waitForPhase } = await start();
    await waitForPhase('providing');
    faults.instead = async () => {
      throw new TributaryError('command-failed', 'nft is gone');
    };
    signals.emit('SIGTERM');
    await expect(running).rejects.toMatchObject({ code: 'command-failed' });
  });

  test('that is stopped while the disk does not answer ends, and its closed table keeps the count', async () => {
    const { directory, machine, signals, running, waitForPhase } = await start();
    await waitForPhase('providing');
    machine.count('forwarded_down', 3, 3_000);
    using disk = await createDisk(join(directory, 'state'));
    const { promise, resolve } = Promise.withResolvers<void>();
    disk.meddle((act) => (act === 'sync' ? promise : undefined));
    signals.emit('SIGTERM');
    await expect(running).rejects.toMatchObject({
      code: 'state-unwritable',
      message: expect.stringContaining('takes very long'),
    });
    resolve();
    expect(machine.print()).toContain('"name":"permit","elem":[]');
    expect(machine.links.has(tunnelInterface)).toBe(false);
  });

  test('that meets a bug in a loop ends, and takes everything down', async () => {
    const { machine, untouched, faults, running, waitForPhase } = await start();
    await waitForPhase('providing');
    faults.instead = async () => {
      faults.instead = undefined;
      throw new TypeError('a bug');
    };
    await expect(running).rejects.toThrow('a bug');
    expect(machine.print()).toBe(untouched);
  });

  test('that meets a bug that nothing catches takes everything down, too', async () => {
    const { machine, untouched, signals, running, waitForPhase } = await start();
    await waitForPhase('providing');
    signals.emit('uncaughtException', new TypeError('a bug'));
    await expect(running).rejects.toThrow('a bug');
    expect(machine.print()).toBe(untouched);
    expect(signals.listenerCount('uncaughtException')).toBe(0);
  });

  test('is one at a time in a state directory', async () => {
    const { options, surroundings, waitForPhase } = await start();
    await waitForPhase('providing');
    await expect(runAgent({ ...options, surroundings })).rejects.toMatchObject({
      code: 'already-running',
    });
  });
});
