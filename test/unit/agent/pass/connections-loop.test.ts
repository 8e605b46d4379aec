import { describe, expect, test } from 'vitest';
import {
  createConnectionsLoop,
  explainTables,
  type SeenTables,
} from '../../../../src/agent/pass/connections-loop.ts';
import { parseConnectionTable } from '../../../../src/system/connection-table.ts';

const roomy = { tracked: 100, most: 65_536 };
const usual: SeenTables = { own: roomy, host: roomy, isTimed: true };

describe('the tables of connections', () => {
  test.each<[string, Partial<SeenTables>, RegExp | undefined]>([
    ['with room', {}, undefined],
    ['that nobody has noted', { own: undefined, host: undefined }, undefined],
    ['just below', { host: { tracked: 58_981, most: 65_536 } }, undefined],
    [
      'almost full on the host',
      { host: { tracked: 58_983, most: 65_536 } },
      /^This host tracks 58983 connections of 65536 at most/,
    ],
    ['full inside', { own: { tracked: 4096, most: 4096 } }, /^The agent's network tracks 4096/],
    ['that keep what they have', { isTimed: false }, /no ct timeout/],
    [
      'that are full and keep what they have',
      { isTimed: false, host: { tracked: 10, most: 10 } },
      /^This host tracks 10 /,
    ],
  ])('%s', (_claim, change, expected) => {
    const message = explainTables({ ...usual, ...change })?.message;
    if (expected === undefined) expect(message).toBeUndefined();
    else expect(message).toMatch(expected);
  });

  test('are a note since they were first seen so, and no more once there is room', async () => {
    let seen: SeenTables = { ...usual, host: { tracked: 10, most: 10 } };
    let at = 1000;
    const connections: Parameters<typeof createConnectionsLoop>[0]['connections'] = {};
    const loop = createConnectionsLoop({
      connections,
      now: () => new Date(at),
      look: async () => seen,
    });
    const signal = new AbortController().signal;
    for (at of [1000, 2000]) await loop.tick(signal);
    expect(connections.problem).toMatchObject({ code: 'connections-full', since: new Date(1000) });
    seen = usual;
    await loop.tick(signal);
    expect(connections.problem).toBeUndefined();
  });
});

test.each<[string, object | undefined]>([
  ['100 65536\n', { tracked: 100, most: 65_536 }],
  ['100\t65536', { tracked: 100, most: 65_536 }],
  ['', undefined],
  ['undefined undefined', undefined],
  ['100', undefined],
  // No limit at all.
  ['100 0', undefined],
])('the kernel says %j', (text, expected) => {
  expect(parseConnectionTable(text)).toEqual(expected);
});
