import { describe, expect, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { observeNftTable } from '../../../src/system/nft.ts';

const reading = (text: string) => observeNftTable(() => Promise.resolve(text), 'tributary');

/** As nft prints it, with everything the gateway makes. */
const listing = {
  nftables: [
    { metainfo: { version: '1.0.6', release_name: 'Lester Gooch #5', json_schema_version: 1 } },
    { table: { family: 'inet', name: 'tributary', handle: 1 } },
    {
      set: {
        family: 'inet',
        name: 'permit',
        table: 'tributary',
        type: 'ifname',
        handle: 2,
        flags: ['timeout'],
        elem: [{ elem: { val: 'tributary0', timeout: 60, expires: 59 } }],
      },
    },
    {
      set: {
        family: 'inet',
        name: 'own4',
        table: 'tributary',
        type: 'ipv4_addr',
        handle: 3,
        elem: [
          '9.9.9.9',
          { prefix: { addr: '10.0.0.0', len: 8 } },
          { range: ['1.1.1.1', '1.1.1.3'] },
        ],
      },
    },
    {
      set: {
        family: 'inet',
        name: 'ports',
        table: 'tributary',
        type: 'inet_service',
        handle: 4,
        elem: [465, 25],
      },
    },
    {
      set: {
        family: 'inet',
        name: 'waiting4',
        table: 'tributary',
        type: ['ipv4_addr', 'mark'],
        handle: 12,
        elem: [{ elem: { val: { concat: ['10.0.0.1', 7] }, counter: { packets: 3, bytes: 90 } } }],
      },
    },
    {
      map: {
        family: 'inet',
        name: 'classes4',
        table: 'tributary',
        type: 'ipv4_addr',
        handle: 13,
        map: 'classid',
        elem: [[{ elem: { val: '10.0.0.1', expires: 9 } }, '1:100']],
      },
    },
    { set: { family: 'inet', name: 'own6', table: 'tributary', type: 'ipv6_addr', handle: 5 } },
    {
      counter: {
        family: 'inet',
        name: 'forwarded_up',
        table: 'tributary',
        handle: 6,
        packets: 2,
        bytes: 200,
      },
    },
    {
      quota: {
        family: 'inet',
        name: 'cap',
        table: 'tributary',
        handle: 7,
        bytes: 1000,
        used: 200,
        inv: true,
      },
    },
    {
      chain: {
        family: 'inet',
        table: 'tributary',
        name: 'forward',
        handle: 8,
        type: 'filter',
        hook: 'forward',
        prio: 0,
        policy: 'drop',
      },
    },
    { chain: { family: 'inet', table: 'tributary', name: 'from_tunnel', handle: 9 } },
    {
      rule: {
        family: 'inet',
        table: 'tributary',
        chain: 'forward',
        handle: 10,
        comment: 'first',
        expr: [],
      },
    },
    { rule: { family: 'inet', table: 'tributary', chain: 'forward', handle: 11, expr: [] } },
  ],
};

describe("nft's listing", () => {
  test('is reduced to what can be compared', async () => {
    const table = await reading(JSON.stringify(listing));
    if (table === undefined) throw new Error('there is a table');
    expect(Object.fromEntries(table.sets)).toEqual({
      permit: ['tributary0'],
      own4: ['1.1.1.1-1.1.1.3', '10.0.0.0/8', '9.9.9.9'],
      ports: ['25', '465'],
      waiting4: ['10.0.0.1 . 7'],
      own6: [],
      classes4: ['10.0.0.1'],
    });
    expect([...table.expires]).toEqual([
      ['permit/tributary0', 59],
      ['classes4/10.0.0.1', 9],
    ]);
    expect([...table.elementPackets]).toEqual([['waiting4/10.0.0.1 . 7', 3]]);
    expect(table.counters.get('forwarded_up')).toMatchObject({ packets: 2, bytes: 200 });
    expect(table.quotas.get('cap')).toMatchObject({ bytes: 1000, used: 200 });
    expect([...table.policies]).toEqual([['forward', 'drop']]);
    expect([...table.rules]).toEqual([['forward', ['first', '']]]);
  });

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"nftables":{}}',
    '{"nftables":[{"counter":{"name":"x"}}]}',
    '{"nftables":[{"quota":{"name":"x","bytes":1,"used":"2"}}]}',
    '{"nftables":[{"set":{"name":"x","elem":"y"}}]}',
    '{"nftables":[{"set":{"name":"x","elem":[{"unknown":1}]}}]}',
    '{"nftables":[{"set":{"name":"x","elem":[null]}}]}',
    '{"nftables":[{"set":{"name":"x","elem":[{"prefix":{"addr":"1.1.1.0"}}]}}]}',
    '{"nftables":[{"set":{"elem":[]}}]}',
    '{"nftables":[{"map":{"name":"x","elem":["y"]}}]}',
    '{"nftables":[{"rule":{"comment":"x"}}]}',
    '{"nftables":[{"rule":{"chain":"x","comment":1}}]}',
    '{"nftables":[{"chain":{"name":"x","hook":"forward","policy":0}}]}',
    '{"nftables":[{"chain":"x"}]}',
    '{"nftables":["x"]}',
    'Error: no',
  ])('that is %j is not taken for an empty table', async (text) => {
    await expect(reading(text)).rejects.toMatchObject({ code: 'command-failed' });
  });
});

describe('the hash of a listing', () => {
  type Row = Record<string, Record<string, unknown>>;
  const rule = { match: { op: '==', left: { meta: { key: 'iifname' } }, right: 'x' } };
  const rows: Row[] = [
    { table: { family: 'inet', name: 't', handle: 1 } },
    {
      set: {
        family: 'inet',
        name: 'own4',
        table: 't',
        type: 'ipv4_addr',
        handle: 3,
        flags: ['interval'],
        elem: ['::'],
      },
    },
    { counter: { family: 'inet', name: 'up', table: 't', handle: 6, packets: 2, bytes: 200 } },
    {
      quota: {
        family: 'inet',
        name: 'cap',
        table: 't',
        handle: 7,
        bytes: 1000,
        used: 200,
        inv: true,
      },
    },
    {
      chain: {
        family: 'inet',
        table: 't',
        name: 'f',
        handle: 8,
        hook: 'forward',
        prio: 0,
        policy: 'drop',
      },
    },
    {
      rule: {
        family: 'inet',
        table: 't',
        chain: 'f',
        handle: 9,
        comment: 'host',
        expr: [rule, { counter: { packets: 1, bytes: 2 } }, { drop: null }],
      },
    },
  ];
  const hash = async (changed: Readonly<Record<string, object>>) => {
    const listed = rows.map((row) => {
      const [kind = '', value] = Object.entries(row)[0] ?? [];
      return { [kind]: { ...value, ...changed[kind] } };
    });
    return (await reading(JSON.stringify({ nftables: listed })))?.listing;
  };

  test.each<readonly [string, Readonly<Record<string, object>>]>([
    ['packets are counted', { counter: { packets: 9, bytes: 900 } }],
    [
      'a rule counts them',
      { rule: { expr: [rule, { counter: { packets: 7, bytes: 8 } }, { drop: null }] } },
    ],
    ['a quota is used, or set again', { quota: { used: 900, bytes: 100 } }],
    ['a set gets elements', { set: { elem: ['192.0.2.1', '192.0.2.2'] } }],
    ['a rule is loaded again', { rule: { handle: 77 }, chain: { handle: 78 } }],
  ])('stays when %s', async (_claim, change) => {
    expect(await hash(change)).toBe(await hash({}));
  });

  test.each<readonly [string, Readonly<Record<string, object>>]>([
    ['a rule is swapped under its comment', { rule: { expr: [rule, { accept: null }] } }],
    [
      'a rule loses a condition',
      { rule: { expr: [{ counter: { packets: 1, bytes: 2 } }, { drop: null }] } },
    ],
    ['a rule gets another comment', { rule: { comment: 'hosts' } }],
    ['a chain moves to another priority', { chain: { prio: 300 } }],
    ['a chain moves to another hook', { chain: { hook: 'output' } }],
    ['a chain accepts what no rule refuses', { chain: { policy: 'accept' } }],
    ['a set is of another type', { set: { type: 'ipv6_addr' } }],
    ['a set has other flags', { set: { flags: ['dynamic'] } }],
    ['a quota lets through what is over it', { quota: { inv: false } }],
    ['the table sleeps', { table: { flags: ['dormant'] } }],
  ])('differs when %s', async (_claim, change) => {
    expect(await hash(change)).not.toBe(await hash({}));
  });

  test('does not depend on when sets and chains were made, and does on the order of rules', async () => {
    const rules = [{ drop: null }, { accept: null }].map((expr) => ({
      rule: { chain: 'g', expr: [expr] },
    }));
    const listOf = async (...listed: readonly object[]) =>
      (await reading(JSON.stringify({ nftables: listed })))?.listing;
    expect(await listOf(...rules, ...rows)).toBe(await listOf(...rows.toReversed(), ...rules));
    expect(await listOf(...rules)).not.toBe(await listOf(...rules.toReversed()));
  });

  test('is the same for a sleeping table, whatever nft prints for that', async () => {
    expect(await hash({ table: { flags: 'c' } })).toBe(await hash({ table: { flags: ';' } }));
  });
});

describe('a table', () => {
  const failing = (message: string) =>
    observeNftTable(() => Promise.reject(new TributaryError('command-failed', message)), 'x');

  test('that is missing is undefined', async () => {
    expect(await failing('nft exited with 1: Error: No such file or directory')).toBeUndefined();
  });

  test('that may not be read does not count as missing', async () => {
    await expect(
      failing('nft exited with 1: Error: Operation not permitted'),
    ).rejects.toMatchObject({
      code: 'command-failed',
    });
  });
});
