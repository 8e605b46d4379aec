import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/status/document.ts';
import type { Lab } from '../../tools/lab/lab.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { waitUntil } from '../patience.ts';
import { createTestLab, killAgent, signIn, stopAgent } from './support/test-lab.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

// Namespaces are needed; test/global-setup.ts says aloud that this is left out.
describe.skipIf(!isInsideLab())('the log of an agent', () => {
  let lab: Lab;
  const opened: number[] = [];
  let agent: LabProcess | undefined;

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'log',
      profile: 'documented',
      config: { tunnel: { backend: 'userspace' } },
    });
    await signIn(lab);
  });
  afterAll(() => lab?.remove());
  afterEach(async () => {
    if (agent !== undefined) await killAgent(agent);
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  });

  const open = (path: string, flags: number) => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  const close = (descriptor: number) => {
    opened.splice(opened.indexOf(descriptor), 1);
    closeSync(descriptor);
  };
  /** The agent with its log in this file or pipe. */
  const startWithLogIn = (path: string) => {
    const shell = ['sh', '-c', 'exec "$@" >>"$LOG_PATH"', 'sh'] as const;
    agent = lab.startAgent({ LOG_PATH: path }, [...shell, ...lab.command('run')]);
    return agent;
  };
  const names = ({ reasons }: StatusDocument, code: string) =>
    reasons.some((reason) => reason.code === code);
  const hasTrouble = (status: StatusDocument) =>
    status.phase === 'providing' && names(status, 'log-unwritten');
  const isWell = (status: StatusDocument) =>
    status.phase === 'providing' && !names(status, 'log-unwritten');
  const listTables = () => lab.network.run('device', 'nft', 'list', 'tables');
  const makePipe = (name: string) => {
    const path = join(lab.directory, name);
    execFileSync('mkfifo', [path]);
    return path;
  };

  it('may lie on a disk that is full: it shares on, writes again, and stops as always', async () => {
    const disk = join(lab.directory, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    try {
      const [log, fill] = [join(disk, 'log'), join(disk, 'fill')];
      const fillDisk = () => {
        const descriptor = open(fill, O_WRONLY | constants.O_CREAT);
        const block = Buffer.alloc(4096);
        try {
          for (;;) writeSync(descriptor, block);
        } catch {
          close(descriptor);
        }
      };
      const running = startWithLogIn(log);
      await lab.waitForStatus(isWell);
      fillDisk();
      const hangUp = setInterval(() => running.kill('SIGHUP'), 100);
      await lab.waitForStatus(hasTrouble).finally(() => clearInterval(hangUp));
      const written = statSync(log).size;
      rmSync(fill);
      await lab.waitForStatus(isWell);
      expect(statSync(log).size).toBeGreaterThan(written);
      fillDisk();
      expect(await stopAgent(running)).toBe(0);
      expect(await listTables()).toBe('');
      // So does one that is started while the disk is full.
      const second = startWithLogIn(join(disk, 'second'));
      await lab.waitForStatus(hasTrouble);
      expect(await stopAgent(second)).toBe(0);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });

  it('may lose its reader: it shares on, and is heard by the next reader', async () => {
    const path = makePipe('gone');
    const reader = open(path, O_RDONLY | O_NONBLOCK);
    const running = startWithLogIn(path);
    await lab.waitForStatus(isWell);
    close(reader);
    running.kill('SIGHUP');
    await lab.waitForStatus(hasTrouble);
    open(path, O_RDONLY | O_NONBLOCK);
    await lab.waitForStatus(isWell);
    close(opened[0] ?? -1);
    expect(await stopAgent(running)).toBe(0);
    expect(await listTables()).toBe('');
  });

  it('may have a reader that no longer reads: it shares on, and stops as always', async () => {
    const path = makePipe('still');
    open(path, O_RDONLY | O_NONBLOCK);
    const writer = open(path, O_WRONLY | O_NONBLOCK);
    expect(() => {
      for (;;) writeSync(writer, Buffer.alloc(4096));
    }).toThrow('EAGAIN');
    const running = startWithLogIn(path);
    await lab.waitForStatus(hasTrouble);
    expect(await lab.runCommand('status')).toContain('its reader no longer reads');
    expect(await stopAgent(running)).toBe(0);
    await waitUntil(async () => expect(await listTables()).toBe(''));
  });
});
