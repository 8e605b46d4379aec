import { fstatSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSupervision } from '../../../src/config/supervision.ts';

const nothing = {
  notifySocket: undefined,
  watchdogMs: undefined,
  pageDescriptor: undefined,
  isJournal: false,
  runtimeDirectory: undefined,
};
const { dev, ino } = fstatSync(1, { bigint: true });
const socket = { NOTIFY_SOCKET: '/run/systemd/notify' };

test.each([
  ['started by hand, nobody is told anything', {}, nothing],
  [
    'a service of the kind notify is told',
    socket,
    { ...nothing, notifySocket: '/run/systemd/notify' },
  ],
  [
    'it is watched for as long as systemd says',
    { ...socket, WATCHDOG_USEC: '90000000' },
    { ...nothing, notifySocket: '/run/systemd/notify', watchdogMs: 90_000 },
  ],
  ['a watchdog that cannot be told is none', { WATCHDOG_USEC: '90000000' }, nothing],
  [
    'a socket that was handed to this process is its page',
    { LISTEN_PID: '42', LISTEN_FDS: '1' },
    { ...nothing, pageDescriptor: 3 },
  ],
  ['a socket that was handed to another is not', { LISTEN_PID: '41', LISTEN_FDS: '1' }, nothing],
  ['no socket is none', { LISTEN_PID: '42', LISTEN_FDS: '0' }, nothing],
  [
    'a journal that standard output leads into is one',
    { JOURNAL_STREAM: `${dev}:${ino}` },
    { ...nothing, isJournal: true },
  ],
  [
    'a journal that standard output was led away from is none',
    { JOURNAL_STREAM: `${dev}:${ino + 1n}` },
    nothing,
  ],
  [
    'the first folder of a run is its own',
    { RUNTIME_DIRECTORY: '/run/tributary:/run/other' },
    { ...nothing, runtimeDirectory: '/run/tributary' },
  ],
  ['what is no journal counts for nothing', { JOURNAL_STREAM: 'journal' }, nothing],
  [
    'what is no number counts for nothing',
    { ...socket, WATCHDOG_USEC: 'soon', LISTEN_PID: '42', LISTEN_FDS: 'x' },
    { ...nothing, notifySocket: '/run/systemd/notify' },
  ],
])('%s', (_claim, environment, expected) => {
  expect(readSupervision(environment, 42)).toEqual(expected);
});
