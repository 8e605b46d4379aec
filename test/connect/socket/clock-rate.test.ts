import { expect, test } from 'vitest';
import {
  makeClockRateMessage,
  readClockRate,
  readClockRateMessage,
} from '../../../src/connect/socket/clock-rate.ts';

test.each<readonly [string, string, string | string[] | undefined, number]>([
  ['a sandbox that hastens', 'ws://127.0.0.1:8080/', '15', 15],
  ['one that does not', 'ws://127.0.0.1:8080/', '1', 1],
  ['one that says nothing', 'ws://127.0.0.1:8080/', undefined, 1],
  ['the network, whatever it says', 'wss://connect.example/', '15', 1],
  ['a number that is none', 'ws://127.0.0.1/', 'fast', 1],
  ['a clock that goes back', 'ws://127.0.0.1/', '-15', 1],
  ['a clock that stands still', 'ws://127.0.0.1/', '0', 1],
  ['a part', 'ws://127.0.0.1/', '1.5', 1],
  ['too much', 'ws://127.0.0.1/', '1001', 1],
  ['two numbers', 'ws://127.0.0.1/', ['15', '15'], 1],
])('how fast the clock of the platform goes: %s', (_, url, header, rate) => {
  expect(readClockRate(url, header)).toBe(rate);
});

test.each<readonly [string, string, Buffer, number | undefined]>([
  ['a sandbox that hastens', 'ws://127.0.0.1/', makeClockRateMessage(60), 60],
  ['the network, whatever it says', 'wss://connect.example/', makeClockRateMessage(60), undefined],
  ['too much', 'ws://127.0.0.1/', makeClockRateMessage(1001), undefined],
  ['a clock that stands still', 'ws://127.0.0.1/', makeClockRateMessage(0), undefined],
  ['another message of that length', 'ws://127.0.0.1/', Buffer.alloc(14, 1), undefined],
  ['a shorter one', 'ws://127.0.0.1/', makeClockRateMessage(60).subarray(1), undefined],
])('a message about the clock of the platform: %s', (_, url, message, rate) => {
  expect(readClockRateMessage(url, message)).toBe(rate);
});
