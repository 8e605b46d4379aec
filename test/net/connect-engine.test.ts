import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createLineReader } from '../../src/connect/engine/line-reader.ts';
import {
  type FromEngine,
  longestLineWithBooks,
  type StartMessage,
  type ToEngine,
} from '../../src/connect/engine/messages.ts';
import { toEngineNodeOptions } from '../../src/connect/engine/node-options.ts';
import { readFromEngine, writeMessage } from '../../src/connect/engine/read-messages.ts';
import { exec } from '../../src/system/exec.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { waitUntil } from '../patience.ts';
import { launchOn } from './support/launch-on.ts';

const engine = join(import.meta.dirname, '../../dist/engine.cjs');
const ip = (...args: readonly string[]) => exec({ program: 'ip', args, doing: 'making a device' });
const name = `ce${randomBytes(3).toString('hex')}`;

const start: StartMessage = {
  type: 'start',
  ownId: '0198f6a1-0000-4000-8000-0123456789ab',
  token: 'token',
  urls: ['ws://127.0.0.1:9/'],
  controlUrl: 'http://127.0.0.1:9/connect/control',
  authority: null,
  instanceId: '0198f6a1-0000-4000-8000-0123456789ab',
  appVersion: '1.0.0',
  secrets: Object.fromEntries([1, 2, 3, 4].map((mode) => [mode, 'ab'.repeat(32)])),
  identity: null,
  isSealingRequired: false,
  published: null,
  wish: 'public',
  pool: { ipv4: { first: '100.112.0.2', count: 9 }, ipv6: { first: 'fd00::2', count: 9 } },
  device: name,
  mostUnpaidBytes: 268_435_456,
  books: null,
  largestId: null,
};

const options = toEngineNodeOptions(engine, process.allowedNodeEnvironmentFlags);

/** The built program with its own process, whose messages are collected. */
function startBuilt() {
  const { running, errors } = launchOn(name, [process.execPath, ...options, engine]);
  const messages: FromEngine[] = [];
  const reader = createLineReader({
    longest: longestLineWithBooks,
    onTooLong: () => expect.unreachable(),
    onLine(line) {
      const message = readFromEngine(line);
      messages.push(message);
      if (message.type === 'keep') tell({ type: 'kept', number: message.number });
    },
  });
  running.stdout.on('data', reader.write);
  const tell = (message: ToEngine): void => void running.stdin.write(writeMessage(message));
  return { running, messages, errors, tell };
}

const waitForEnd = (running: ChildProcess) =>
  waitUntil(() => expect(running.exitCode ?? running.signalCode).not.toBeNull());

/** A read of the device is pending in each of them, and the device stays. */
describe.runIf(isInsideLab())('the process of the engine', () => {
  let controlUrl = '';

  beforeAll(async () => {
    // What is published is acknowledged; a socket is not opened, as nobody listens there.
    const platform = createServer((_, response) => response.end('{"pack":"","error":null}'));
    await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
    const { port } = platform.address() as AddressInfo;
    controlUrl = `http://127.0.0.1:${port}/connect/control`;
    await ip('tuntap', 'add', 'dev', name, 'mode', 'tun', 'vnet_hdr', 'user', '0');
    // Without an address the kernel sends nothing by it, which would end a pending read.
    await ip('link', 'set', name, 'addrgenmode', 'none');
    await ip('link', 'set', name, 'up');
    return async () => {
      await ip('link', 'del', name);
      platform.closeAllConnections();
      await new Promise((resolve) => platform.close(resolve));
    };
  });

  async function startReading() {
    const built = startBuilt();
    built.tell({ ...start, controlUrl });
    await waitUntil(() => {
      const [told] = built.messages.filter((message) => message.type === 'problem');
      expect(told).toMatchObject({ code: 'platform-unreachable' });
    });
    expect(built.messages[0]).toEqual({ type: 'opened' });
    return built;
  }

  test('ends after it was told to, though its device stays', async () => {
    const { running, messages, tell } = await startReading();
    tell({ type: 'stop', final: false });
    await waitForEnd(running);
    expect(messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
    expect(await ip('link', 'show', name)).toContain('NO-CARRIER');
  });

  test('ends where its parent is gone', async () => {
    const { running } = await startReading();
    running.stdin.destroy();
    await waitForEnd(running);
  });

  test('ends by SIGTERM, and is not ended by what is typed at a terminal', async () => {
    const { running, messages } = await startReading();
    running.kill('SIGINT');
    running.kill('SIGHUP');
    running.kill('SIGTERM');
    await waitForEnd(running);
    expect(messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
  });

  test('is not begun where another process has the device, and what starts it says so', async () => {
    const first = await startReading();
    const second = startBuilt();
    await waitForEnd(second.running);
    expect(second.messages).toEqual([]);
    expect(second.errors.join('')).toBe(
      `opening the device ${name}: TUNSETIFF: Device or resource busy
`,
    );
    first.running.stdin.destroy();
    await waitForEnd(first.running);
  });

  test('says so where it was handed no device, and ends', async () => {
    const running = spawn(process.execPath, [...options, engine], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void running.kill('SIGKILL'));
    const said: string[] = [];
    running.stdout.on('data', (text) => said.push(String(text)));
    running.stdin.write(writeMessage(start));
    await waitForEnd(running);
    expect(readFromEngine(said.join('').split('\n')[0] ?? '')).toEqual({
      type: 'problem',
      code: 'device-unavailable',
      message: `the device ${name}: it was not handed over as descriptor 3`,
    });
  });

  test('writes nothing but its messages', async () => {
    const { running, errors, tell } = await startReading();
    tell({ type: 'stop', final: false });
    await waitForEnd(running);
    expect(errors).toEqual([]);
  });
});
