import { describe, expect, test } from 'vitest';
import {
  isBeyondHome,
  isWorthConnecting,
  listPingPlaces,
} from '../../../src/provide/line-places.ts';

test.each([
  ['10.0.3.1', false],
  ['172.17.0.1', false],
  ['192.168.1.1', false],
  ['169.254.1.1', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['100.64.0.1', true],
  ['203.0.113.1', true],
  ['2001:db8::1', true],
])('%s lies beyond the home’s router: %s', (address, isBeyond) => {
  expect(isBeyondHome(address)).toBe(isBeyond);
});

describe('the places that are asked in turn', () => {
  const hop = (address: string) => ({ kind: 'first-hop', address });
  const end = { kind: 'tunnel-end', address: '198.51.100.2' };
  const home = ['10.0.3.1', '192.168.1.1'];

  test.each([
    ['the first beyond the home', [...home, '203.0.113.1'], [hop('203.0.113.1'), end]],
    [
      'three of them at most, each once',
      [...home, '203.0.113.1', '203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'],
      [hop('203.0.113.1'), hop('203.0.113.2'), hop('203.0.113.3'), end],
    ],
    ['the tunnel’s end alone where all are silent', home, [end]],
    ['the tunnel’s end once', [...home, '198.51.100.2'], [end]],
  ])('%s', (_, hops, places) => {
    expect(listPingPlaces(hops, '198.51.100.2')).toEqual(places);
  });

  test('without a tunnel there is no such end', () => {
    expect(listPingPlaces([...home, '203.0.113.1'], undefined)).toEqual([hop('203.0.113.1')]);
    expect(listPingPlaces(home, undefined)).toEqual([]);
  });
});

test.each([
  ['more than 30 % of the line', { loadBits: 6.1e6, lineBits: 20e6 }, true],
  ['less', { loadBits: 5.9e6, lineBits: 20e6 }, false],
  ['more than 30 % of 1 Mbit/s, while the line is unknown', { loadBits: 0.31e6 }, true],
  ['less, while it is unknown', { loadBits: 0.29e6 }, false],
  ['all that is left to sharing while it yields', { lineBits: 20e6, rateBits: 0.4e6 }, true],
])('a connection is worth it: %s', (_, use, isWorth) => {
  const {
    loadBits = 0.4e6,
    lineBits = 0,
    rateBits = Number.POSITIVE_INFINITY,
  } = {
    loadBits: undefined,
    lineBits: undefined,
    rateBits: undefined,
    ...use,
  };
  expect(isWorthConnecting({ loadBits, lineBits, rateBits })).toBe(isWorth);
});
