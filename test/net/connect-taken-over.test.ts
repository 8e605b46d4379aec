import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toEngineNodeOptions } from '../../src/connect/engine/node-options.ts';
import { exec } from '../../src/system/exec.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { waitUntil } from '../patience.ts';
import { launchOn } from './support/launch-on.ts';

const device = `ct${randomBytes(3).toString('hex')}`;
const ip = (line: string) => exec({ program: 'ip', args: line.split(' '), doing: 'running ip' });

/**
 * What a stranger tries who runs his own code in the engine: `at` is the agent's folder and `agent`
 * its process. Each gives something, or throws.
 */
const attempts = {
  'read a file': "fs.readFileSync(at + '/secret')",
  'read it by a database': "database(at + '/books').exec('create table t (a)')",
  'list the folder': 'fs.readdirSync(at)',
  'add a file': "fs.writeFileSync(at + '/other', 'other')",
  'write over a file': "fs.writeFileSync(at + '/secret', 'lost')",
  'empty a file': "fs.truncateSync(at + '/secret')",
  'read what the agent was started with': "fs.readFileSync('/proc/' + agent + '/environ')",
  'reach files by the agent’s process': "fs.readdirSync('/proc/' + agent + '/cwd/')",
  'open a device': "fs.openSync('/dev/net/tun', 'r+')",
  'have a program read it': "read('/bin/cat', at + '/secret')",
  'signal the agent': 'process.kill(agent, 0)',
} as const;
type Attempt = keyof typeof attempts;

/** Prints, for each attempt, `done` or the code that it failed with. */
const toProgram = (at: string) => `
  const fs = require('node:fs');
  const [at, agent] = [${JSON.stringify(at)}, ${process.pid}];
  const database = (path) => new (require('node:sqlite').DatabaseSync)(path);
  const read = (...command) => {
    const { status, error } = require('node:child_process').spawnSync(command[0], command.slice(1));
    if (status !== 0) throw error ?? Object.assign(new Error(), { code: 'exited with ' + status });
  };
  const attempt = (act) => { try { act(); return 'done'; } catch ({ code }) { return code; } };
  console.log(JSON.stringify({
    ${Object.entries(attempts)
      .map(([what, act]) => `${JSON.stringify(what)}: attempt(() => ${act})`)
      .join(',\n')}
  }));`;

const hasLandlock =
  spawnSync('/usr/bin/perl', ['-e', 'exit(syscall(444, 0, 0, 1) < 6)']).status === 0;

describe.runIf(isInsideLab())('code of a stranger in the engine’s process', () => {
  let directory: string;
  let file: string;

  beforeAll(async () => {
    await ip(`tuntap add dev ${device} mode tun vnet_hdr user 0`);
    return () => ip(`link delete ${device}`);
  });
  beforeEach(async () => {
    directory = await mkdtemp(join(await realpath(tmpdir()), 'tributary-taken-over-'));
    await writeFile(join(directory, 'secret'), 'the secret');
    file = join(directory, 'engine.cjs');
    await writeFile(file, toProgram(directory));
    return () => rm(directory, { recursive: true });
  });

  const hear = async (running: ReturnType<typeof spawn>) => {
    const said: string[] = [];
    running.stdout?.on('data', (text) => said.push(String(text)));
    await waitUntil(() => expect(running.exitCode ?? running.signalCode).not.toBeNull());
    await waitUntil(() => expect(() => JSON.parse(said.join(''))).not.toThrow());
    return JSON.parse(said.join('')) as Readonly<Record<Attempt, string>>;
  };
  const isSecretWhole = async () =>
    expect(await readFile(join(directory, 'secret'), 'utf8')).toBe('the secret');

  test('does all of it where nothing keeps it from it', async () => {
    const done = await hear(spawn(process.execPath, [file]));
    expect(new Set(Object.values(done))).toEqual(new Set(['done']));
  });

  test.runIf(hasLandlock)('does none of it as machine code, by the kernel', async () => {
    const { running, errors } = launchOn(device, [process.execPath, file]);
    const refused = await hear(running);
    const [files, cat] = ['EACCES', 'exited with 1'];
    expect(refused).toEqual({
      'read a file': files,
      'read it by a database': 'ERR_SQLITE_ERROR',
      'list the folder': files,
      'add a file': files,
      'write over a file': files,
      'empty a file': files,
      'read what the agent was started with': files,
      'reach files by the agent’s process': files,
      'open a device': files,
      'have a program read it': cat,
      'signal the agent': 'EPERM',
    } satisfies Record<Attempt, string>);
    expect(errors).toEqual([]);
    await isSecretWhole();
  });

  test('touches no file as JavaScript, by Node alone', async () => {
    const options = toEngineNodeOptions(file, process.allowedNodeEnvironmentFlags);
    const refused = await hear(spawn(process.execPath, [...options, file]));
    const denied = 'ERR_ACCESS_DENIED';
    expect(refused).toEqual({
      'read a file': denied,
      'read it by a database': 'ERR_UNKNOWN_BUILTIN_MODULE',
      'list the folder': denied,
      'add a file': denied,
      'write over a file': denied,
      'empty a file': denied,
      'read what the agent was started with': denied,
      'reach files by the agent’s process': denied,
      'open a device': denied,
      'have a program read it': denied,
      // Node has no permission for this: the kernel refuses it, where it can.
      'signal the agent': 'done',
    } satisfies Record<Attempt, string>);
    await isSecretWhole();
  });
});
