/*
 * Loaded before the agent (--require): counts its effects on files, programs and sockets, writes each into the file CRASH_LOG,
 * and ends the process by SIGKILL at the one that CRASH_AT names (`before 17`, `after 17`), as a power cut does. An effect is
 * over when its promise is, when the program has ended, or when the first byte of the answer is there.
 */
const { appendFileSync } = require('node:fs');
const files = require('node:fs/promises');
const { ChildProcess } = require('node:child_process');
const { Socket } = require('node:net');

const [when, at] = (process.env.CRASH_AT ?? '').split(' ');
const log = process.env.CRASH_LOG;
let count = 0;

function begin(kind, what) {
  count += 1;
  const number = count;
  if (log !== undefined) appendFileSync(log, `${JSON.stringify({ number, kind, what })}\n`);
  const isDue = number === Number(at);
  if (isDue && when === 'before') process.kill(process.pid, 'SIGKILL');
  return () => {
    if (isDue && when === 'after') process.kill(process.pid, 'SIGKILL');
  };
}

function wrap(holder, name, toWhat) {
  const original = holder[name];
  if (typeof original !== 'function') return;
  holder[name] = async function (...given) {
    const what = toWhat(this, given);
    const end = what === undefined ? () => undefined : begin('file', `${name} ${what}`);
    const result = await original.apply(this, given);
    end();
    return result;
  };
}

const short = (path) => String(path).replace(/^.*\/([^/]*\/[^/]*)$/, '$1');
const changes = [
  'rename',
  'unlink',
  'rm',
  'mkdir',
  'rmdir',
  'link',
  'symlink',
  'chmod',
  'writeFile',
  'appendFile',
  'copyFile',
  'truncate',
];
for (const name of changes) wrap(files, name, (_self, given) => short(given[0]));

const names = new WeakMap();
let isHandleWrapped = false;
const { open } = files;
files.open = async (path, ...rest) => {
  const [flags] = rest;
  const isChange = typeof flags === 'string' ? /[wa+]/.test(flags) : (flags & 3) !== 0;
  const end = isChange ? begin('file', `open ${short(path)}`) : () => undefined;
  const handle = await open(path, ...rest);
  names.set(handle, short(path));
  if (!isHandleWrapped) {
    isHandleWrapped = true;
    const prototype = Object.getPrototypeOf(handle);
    for (const name of ['write', 'writeFile', 'appendFile', 'sync', 'datasync', 'truncate'])
      wrap(prototype, name, (self) => names.get(self));
  }
  end();
  return handle;
};

const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (options) {
  const end = begin('program', (options.args ?? [options.file]).slice(0, 8).join(' '));
  this.once('exit', end);
  return spawn.call(this, options);
};

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...given) {
  const [first] = Array.isArray(given[0]) ? given[0] : given;
  const end = begin('request', `${first?.host ?? ''}:${first?.port ?? first?.path ?? ''}`);
  this.once('data', end);
  return connect.apply(this, given);
};
