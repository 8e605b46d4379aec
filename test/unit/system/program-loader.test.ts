import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findInterpreter, findLoader } from '../../../src/system/program-loader.ts';
import { makeDirectory } from '../../make-directory.ts';

/** A program's head with one part, of 64 or 32 bits. */
function createHead(bits: 32 | 64, name: string, changes: Partial<{ part: number; at: number }>) {
  const head = Buffer.alloc(512);
  head.write('\x7fELF', 'latin1');
  head[4] = bits === 64 ? 2 : 1;
  head[5] = 1;
  const from = changes.at ?? 256;
  const partAt = 128;
  const length = name.length + 1;
  if (bits === 64) {
    head.writeBigUInt64LE(BigInt(partAt), 32);
    head.writeUInt16LE(56, 54);
    head.writeUInt16LE(1, 56);
    head.writeBigUInt64LE(BigInt(from), partAt + 8);
    head.writeBigUInt64LE(BigInt(length), partAt + 32);
  } else {
    head.writeUInt32LE(partAt, 28);
    head.writeUInt16LE(32, 42);
    head.writeUInt16LE(1, 44);
    head.writeUInt32LE(from, partAt + 4);
    head.writeUInt32LE(length, partAt + 16);
  }
  head.writeUInt32LE(changes.part ?? 3, partAt);
  head.write(name, Math.min(from, 400), 'latin1');
  return head;
}

describe('the loader that a program names', () => {
  test.each([64, 32] as const)('is read from a program of %s bits', (bits) => {
    expect(findInterpreter(createHead(bits, '/lib/ld.so', {}))).toBe('/lib/ld.so');
  });

  const odd: readonly (readonly [string, Buffer])[] = [
    ['a script', Buffer.from(`#!/bin/sh\n${' '.repeat(100)}`)],
    ['nothing', Buffer.alloc(0)],
    ['a program that names none', createHead(64, '/lib/ld.so', { part: 1 })],
    ['a name that is no path', createHead(64, 'ld.so', {})],
    ['a name beyond what was read', createHead(64, '/lib/ld.so', { at: 2 ** 40 })],
    ['the other order of bytes', createHead(64, '/lib/ld.so', {}).fill(2, 5, 6)],
    ['parts beyond what was read', createHead(64, '/lib/ld.so', {}).subarray(0, 130)],
  ];
  test.each(odd)('is none where there is %s', (_, head) => {
    expect(findInterpreter(head)).toBeUndefined();
  });

  test('starts the program as the program itself would be started', async () => {
    const loader = await findLoader('setpriv');
    if (loader === undefined) throw new Error('setpriv has no loader');
    const [program, file] = loader;
    const { stdout } = await promisify(execFile)(program, [file, '--version']);
    expect(stdout).toMatch(/^setpriv/);
    expect(await readFile(await realpath(file))).toBeInstanceOf(Buffer);
    expect(await findLoader('setpriv', `/nowhere::${dirname(file)}`)).toEqual(loader);
  });

  test('is none for a program that is not there', async () => {
    expect(await findLoader('ping', await makeDirectory())).toBeUndefined();
  });
});
