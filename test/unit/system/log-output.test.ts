import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLogOutput } from '../../../src/system/log-output.ts';
import { waitUntil } from '../../patience.ts';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;

async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function open(path: string, flags: number): number {
  const descriptor = openSync(path, flags, 0o600);
  onTestFinished(() => {
    try {
      closeSync(descriptor);
    } catch {
      // The test has closed it.
    }
  });
  return descriptor;
}

/** The log on a pipe with a name, and its reader. */
async function openPipe() {
  const path = join(await createFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const openReader = () => open(path, O_RDONLY | O_NONBLOCK);
  const reader = openReader();
  const output = openLogOutput(open(path, O_WRONLY | O_NONBLOCK));
  return { output, reader, openReader };
}

/** What is in the pipe now. */
function readNow(reader: number): string {
  const bytes = Buffer.alloc(512 * 1024);
  let length = 0;
  for (;;) {
    try {
      const read = readSync(reader, bytes, length, bytes.length - length, null);
      if (read === 0) break;
      length += read;
    } catch {
      break;
    }
  }
  return bytes.toString('utf8', 0, length);
}

const toLine = (index: number) => `line ${index} ${'x'.repeat(1_000)}\n`;
const listNumbers = (text: string) =>
  [...text.matchAll(/^(?:line|lost) (\d+)/gm)].map(([whole]) => whole);

describe('the output of the log', () => {
  test('writes at once what is read', async () => {
    const { output, reader } = await openPipe();
    output.write('one\n');
    output.write('two\n');
    expect(readNow(reader)).toBe('one\ntwo\n');
    expect([output.isTTY, output.trouble(), output.droppedLines()]).toEqual([false, undefined, 0]);
  });

  test('holds a bounded part of what no reader takes, counts the rest, and says it in its place', async () => {
    const { output, reader } = await openPipe();
    output.onDropped((lines) => output.write(`lost ${lines}\n`));
    for (let index = 0; index < 2_000; index += 1) output.write(toLine(index));
    const dropped = output.droppedLines();
    // A pipe of the kernel has 64 KiB, and as many as 256 KiB wait here.
    expect(dropped).toBeGreaterThan(1_600);
    expect(dropped).toBeLessThan(2_000);
    let text = '';
    await waitUntil(() => {
      text += readNow(reader);
      expect(text).toContain('lost');
    });
    output.write('line 2000\n');
    await waitUntil(() => {
      text += readNow(reader);
      expect(text).toContain('line 2000');
    });
    const kept = 2_000 - dropped;
    expect(listNumbers(text)).toEqual([
      ...Array.from({ length: kept }, (_, index) => `line ${index}`),
      `lost ${dropped}`,
      'line 2000',
    ]);
    expect(output.droppedLines()).toBe(dropped);
  });

  test('outlives its reader, says what is wrong, and goes on with the next one', async () => {
    const { output, reader, openReader } = await openPipe();
    closeSync(reader);
    output.write('while nobody reads\n');
    expect(output.trouble()?.reason).toContain('EPIPE');
    const next = openReader();
    await output.flush();
    expect(readNow(next)).toBe('while nobody reads\n');
    expect(output.trouble()).toBeUndefined();
  });

  test('says that a disk is full, and waits for no longer than a second at the end', async () => {
    const output = openLogOutput(open('/dev/full', O_WRONLY));
    output.write('one\n');
    expect(output.trouble()?.reason).toContain('ENOSPC');
    await output.flush();
    expect(output.droppedLines()).toBe(0);
  });

  test('writes to a file in order', async () => {
    const path = join(await createFolder(), 'log');
    const output = openLogOutput(open(path, O_WRONLY | O_APPEND | O_CREAT));
    for (let index = 0; index < 100; index += 1) output.write(`line ${index}\n`);
    await output.flush();
    expect(listNumbers(readFileSync(path, 'utf8'))).toHaveLength(100);
    rmSync(path);
  });
});
