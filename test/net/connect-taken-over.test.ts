import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
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
  'connect to the agent’s socket': "reach(at + '/control')",
  'have a program connect to it': "perl('connect', at + '/control')",
  'make sockets that need no connection': "perl('pair')",
  'make sockets past the calls for it': "perl('queue')",
  'let others read a file': "fs.chmodSync(at + '/secret', 0o600)",
  'give a file away': 'fs.chownSync(at, process.getuid(), process.getgid())',
  'let others read it by a program': "read('/bin/chmod', '600', at + '/secret')",
} as const;
type Attempt = keyof typeof attempts;

/**
 * What a program of a stranger's does: connect to a socket by its path, make a pair by which a
 * datagram may be sent to any path, and ask the kernel for a queue of calls (io_uring_setup), by
 * which sockets are made without a call. That the queue has no description shows that the kernel
 * took the question.
 */
const perlScript = `#!perl
use Socket;
my ($what, $path) = @ARGV;
if ($what eq "connect") {
  socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or exit(1);
  connect($socket, sockaddr_un($path)) or exit(1);
} elsif ($what eq "pair") {
  socketpair(my $one, my $other, AF_UNIX, SOCK_DGRAM, 0) or exit(1);
} else {
  syscall(425, 1, 0);
  exit(!$!{EFAULT});
}
__END__`;

/** Prints, for each attempt, `done` or the code that it failed with. */
const toProgram = (at: string) => `
  const fs = require('node:fs');
  const [at, agent] = [${JSON.stringify(at)}, ${process.pid}];
  const database = (path) => new (require('node:sqlite').DatabaseSync)(path);
  const read = (...command) => {
    // Pipes to a program would be pairs of sockets, so it writes where we do.
    const { spawnSync } = require('node:child_process');
    const { status, error } = spawnSync(command[0], command.slice(1), { stdio: [0, 2, 2] });
    if (status !== 0) throw error ?? Object.assign(new Error(), { code: 'exited with ' + status });
  };
  // The one file that may be read: perl looks for its own lines in it.
  const perl = (...args) => read('/usr/bin/perl', '-x', __filename, ...args);
  const reach = (path) => new Promise((resolve, reject) => {
    const socket = require('node:net').connect(path, () => resolve(socket.destroy()));
    socket.once('error', reject);
  });
  const attempt = async (act) => {
    try { await act(); return 'done'; } catch ({ code }) { return code; }
  };
  const all = async () => console.log(JSON.stringify({
    ${Object.entries(attempts)
      .map(([what, act]) => `${JSON.stringify(what)}: await attempt(() => ${act})`)
      .join(',\n')}
  }));
  all();
/*
${perlScript}
*/`;

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
    const control = createServer().listen(join(directory, 'control'));
    await once(control, 'listening');
    return async () => {
      control.close();
      await rm(directory, { recursive: true });
    };
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
      'connect to the agent’s socket': 'EPERM',
      'have a program connect to it': 'exited with 1',
      'make sockets that need no connection': 'exited with 1',
      'make sockets past the calls for it': 'exited with 1',
      'let others read a file': 'EPERM',
      'give a file away': 'EPERM',
      'let others read it by a program': 'exited with 1',
    } satisfies Record<Attempt, string>);
    expect(errors.join('')).not.toContain('this kernel');
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
      // Node has no permission for these two: the kernel refuses them, where it can.
      'signal the agent': 'done',
      'connect to the agent’s socket': 'done',
      'have a program connect to it': denied,
      'make sockets that need no connection': denied,
      'make sockets past the calls for it': denied,
      'let others read a file': denied,
      'give a file away': denied,
      'let others read it by a program': denied,
    } satisfies Record<Attempt, string>);
    await isSecretWhole();
  });
});
