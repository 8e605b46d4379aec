#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { version } from './version.ts';

// A very old Node still has to read this first file, to say so in one line instead of failing at
// the first new word.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `tributary: needs Node 22.19 or newer, this is ${process.versions.node}; install Node 24 (https://nodejs.org) and try again\n`,
  );
  process.exit(78);
}

// At this signal Node would open its debugger to every process of the network namespace. With a
// listener it opens nothing.
process.on('SIGUSR1', () => undefined);

// A crash must not write keys and tokens to a disk, so no memory goes into core dumps of this
// process and of programs that it starts.
try {
  writeFileSync('/proc/self/coredump_filter', '0');
} catch {
  // A kernel without core dumps has no such file.
}

// The agent runs for years and does little, so it gives up compilers, which would fill memory, for
// a small heap. The flags have to be set before the code that they concern is loaded.
// docs/performance.md has measurements. A package's `compile.cjs` loads this file too, and then all
// others.
const isCompiling = process.argv[2] === '--compile';
const isLong = process.argv[2] === 'run' || isCompiling;
if (isLong) {
  // Node has compiled code of its own modules, which it can only use before the flags differ.
  const early = [
    'assert',
    'child_process',
    'cluster',
    'crypto',
    'dns/promises',
    'fs/promises',
    'http',
    'module',
    'os',
    'perf_hooks',
    'process',
    'timers/promises',
    'tty',
    'v8',
    'vm',
    'worker_threads',
  ];
  for (const name of early) process.getBuiltinModule(`node:${name}`);
  const flags = [
    '--no-opt',
    '--no-maglev',
    '--no-sparkplug',
    '--no-wasm-tier-up',
    '--no-wasm-dynamic-tiering',
    '--optimize-for-size',
    '--semi-space-growth-factor=1',
  ];
  for (const flag of flags) process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}

/**
 * Scripts and package managers ask this alone, so it is answered before anything is loaded. False
 * where it could not be written: `main` tries again, and reports why.
 */
function printVersion(): boolean {
  try {
    writeFileSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}

const isAsked = process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2] ?? '');

// Loaded only now, because everything else may use what this Node has.
const prepared = isLong
  ? import('./compiled-code.ts').then(({ useCompiledCode }) =>
      useCompiledCode({ isKept: isCompiling }),
    )
  : Promise.resolve();
if (!isCompiling && !(isAsked && printVersion()))
  void prepared.then(() => import('./main.ts')).then(({ main }) => main());
