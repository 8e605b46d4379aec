import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import {
  countWakes,
  findProcesses,
  forgetUse,
  parseStat,
  readExactSeconds,
  readTreeUse,
  readUsedKilobytes,
  selectTree,
  sumReferencedOfFiles,
} from '../../../tools/bench/process-tree.ts';

const line = (pid: number, name: string, parent: number, ticks: string) =>
  `${pid} (${name}) S ${parent} 7 7 0 -1 4194304 100 0 0 0 ${ticks} 20 0 11 0 5000 1000000 20000\n`;

test('a process is read with what it and its ended children used, whatever its name holds', () => {
  expect(parseStat(line(12, 'node) S 99 (x', 3, '100 20 3 4'))).toEqual({
    pid: 12,
    name: 'node) S 99 (x',
    parent: 3,
    cpuSeconds: 1.27,
    endedSeconds: 0.07,
  });
});

test.each(['', '12 (node) S 3', 'cat: /proc/12/stat: No such file or directory'])(
  '%o is no process',
  (text) => {
    expect(parseStat(text)).toBeUndefined();
  },
);

test("a program's descendants belong to it, and nothing else does", () => {
  const processes = [
    [10, 1],
    [11, 10],
    [12, 11],
    [13, 1],
    [14, 13],
  ].map(([pid = 0, parent = 0]) => ({ pid, parent, name: 'node', cpuSeconds: 0, endedSeconds: 0 }));
  expect(selectTree(processes, 10).map(({ pid }) => pid)).toEqual([10, 11, 12]);
});

test('the processes that run here have used processor time', () => {
  const { anonymousKilobytes, cpuSeconds, kilobytes, ownCpuSeconds } = readTreeUse(process.pid);
  expect(cpuSeconds).toBeGreaterThanOrEqual(ownCpuSeconds);
  expect(ownCpuSeconds).toBeGreaterThan(0);
  expect(kilobytes).toBeGreaterThan(1000);
  expect(anonymousKilobytes).toBeGreaterThan(1000);
  expect(anonymousKilobytes).toBeLessThan(kilobytes);
});

test('a program is found by its name and first argument, wherever it was started from', async () => {
  const argument = `6${process.pid}`;
  const child = spawn('/bin/sleep', [argument]);
  onTestFinished(() => void child.kill());
  await once(child, 'spawn');
  await expect
    .poll(() => findProcesses('sleep', argument).map(({ pid }) => pid))
    .toEqual([child.pid]);
  expect(findProcesses('sleep', `${argument}1`)).toEqual([]);
  expect(findProcesses('leep', argument)).toEqual([]);
});

test('of the pages of files those count that were used, and of others those that are there', () => {
  const mapping = (head: string, referenced: number, anonymous: number) =>
    `${head}\nRss:   900 kB\nReferenced:  ${referenced} kB\nAnonymous:  ${anonymous} kB\nVmFlags: rd mr\n`;
  const smaps = [
    mapping('55aad0a1a000-55aad0a1c000 r-xp 00000000 fe:00 247026     /usr/bin/node', 40, 0),
    mapping('55aad0a1c000-55aad0a21000 rw-p 00002000 fe:00 247026     /usr/bin/node', 30, 28),
    mapping('7f0000000000-7f0000001000 rw-p 00000000 00:00 0 ', 300, 300),
    mapping('7f0000001000-7f0000002000 rw-p 00000000 00:00 0          [heap]', 200, 200),
  ].join('');
  expect(sumReferencedOfFiles(smaps)).toBe(42);
});

test('what a process needs is less, once the kernel forgot what it used', async () => {
  const child = spawn('/bin/sleep', ['600']);
  onTestFinished(() => void child.kill());
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  // While the program is still loaded, it uses more in between.
  const forget = () => {
    const before = readUsedKilobytes(pid);
    forgetUse(pid);
    return readUsedKilobytes(pid) - before;
  };
  await expect.poll(forget).toBeLessThan(0);
  expect(readUsedKilobytes(pid)).toBeGreaterThanOrEqual(readTreeUse(pid).anonymousKilobytes);
});

test('each wait of a process is a wake, and its processor time is read to the nanosecond', async () => {
  const child = spawn('/bin/sh', ['-c', 'while :; do sleep 0.001; done']);
  onTestFinished(() => void child.kill());
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const before = { wakes: countWakes(pid).own, seconds: readExactSeconds(pid).own };
  await expect.poll(() => countWakes(pid).own).toBeGreaterThan(before.wakes + 10);
  expect(countWakes(pid).all).toBeGreaterThan(before.wakes + 10);
  const after = readExactSeconds(pid);
  expect(after.own).toBeGreaterThan(before.seconds);
  expect(after.all).toBeGreaterThanOrEqual(after.own);
});
