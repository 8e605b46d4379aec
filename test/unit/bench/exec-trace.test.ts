import { expect, test } from 'vitest';
import { countPrograms, parseExecTrace } from '../../../tools/bench/exec-trace.ts';

const traced = `100   1763800000.100000 execve("/usr/bin/node", ["node", "a \\"b"], 0x7ff /* 20 vars */) = 0
101   1763800001.200000 execve("/usr/local/sbin/ip", ["ip"], 0x7ff /* 20 vars */) = -1 ENOENT (No such file or directory)
101   1763800001.300000 execve("/usr/sbin/ip", ["ip", "-j"], 0x7ff /* 20 vars */ <unfinished ...>
102   1763800001.400000 execve("/usr/sbin/nft", ["nft"], 0x7ff /* 20 vars */ <unfinished ...>
101   1763800001.500000 <... execve resumed>) = 0
102   1763800001.600000 <... execve resumed>) = -1 ENOENT (No such file or directory)
101   1763800001.700000 +++ exited with 0 +++
103   1763800002.800000 execve("/usr/sbin/ip", ["ip"], 0x7ff /* 20 vars */) = 0
`;

test('every try to start a program is read, with its outcome, also where it came in two pieces', () => {
  expect(parseExecTrace(traced)).toEqual([
    { pid: 100, atSeconds: 1763800000.1, path: '/usr/bin/node', isStarted: true },
    { pid: 101, atSeconds: 1763800001.2, path: '/usr/local/sbin/ip', isStarted: false },
    { pid: 101, atSeconds: 1763800001.3, path: '/usr/sbin/ip', isStarted: true },
    { pid: 102, atSeconds: 1763800001.4, path: '/usr/sbin/nft', isStarted: false },
    { pid: 103, atSeconds: 1763800002.8, path: '/usr/sbin/ip', isStarted: true },
  ]);
});

test('programs are counted by name, without those that were not there', () => {
  expect(Object.entries(countPrograms(parseExecTrace(traced)))).toEqual([
    ['ip', 2],
    ['node', 1],
  ]);
});
