import { expect, test } from 'vitest';
import { readPingLine } from '../../../src/system/ping-line.ts';

test.each([
  ['64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=0.045 ms', '203.0.113.1', 0.045],
  ['64 bytes from 203.0.113.1: icmp_seq=812 ttl=63 time=1512 ms', '203.0.113.1', 1512],
  ['64 bytes from 2001:db8::1: icmp_seq=2 ttl=64 time=12.3 ms', '2001:db8::1', 12.3],
  ['64 bytes from fe80::1%eth0: icmp_seq=2 ttl=64 time=12.3 ms', 'fe80::1', 12.3],
  // busybox
  ['64 bytes from 203.0.113.1: seq=0 ttl=63 time=12.345 ms', '203.0.113.1', 12.345],
])('an answer: %s', (line, from, delayMs) => {
  expect(readPingLine(line)).toEqual({ kind: 'answer', from, delayMs });
});

test.each([
  ['From 203.0.113.1 icmp_seq=1 Time to live exceeded', '203.0.113.1'],
  ['From 2001:db8::1 icmp_seq=1 Time exceeded: Hop limit', '2001:db8::1'],
])('a router on the way: %s', (line, from) => {
  expect(readPingLine(line)).toEqual({ kind: 'expired', from });
});

test.each([
  [''],
  ['PING 203.0.113.1 (203.0.113.1) 56(84) bytes of data.'],
  ['64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=0.045 ms (DUP!)'],
  ['64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=0.045 ms (BAD CHECKSUM!)'],
  ['wrong data byte #16 should be 0x10 but was 0x11'],
  ['From 203.0.113.1 icmp_seq=1 Destination Host Unreachable'],
  ['From 203.0.113.1: icmp_seq=1 Redirect Host(New nexthop: 192.0.2.1)'],
  ['no answer yet for icmp_seq=3'],
  ['64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=-3 ms'],
  ['64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=1e9 ms'],
  ['64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=9999999999 ms'],
  ['64 bytes from 999.0.113.1: icmp_seq=1 ttl=63 time=1 ms'],
  ['64 bytes from :::::: icmp_seq=1 ttl=63 time=1 ms'],
  ['64 bytes from --: icmp_seq=1 ttl=63 time=1 ms'],
  [`From 203.0.113.1 icmp_seq=${'1'.repeat(300)} Time to live exceeded`],
  ['x'.repeat(65_536)],
])('tells nothing: %s', (line) => {
  expect(readPingLine(line)).toBeUndefined();
});
