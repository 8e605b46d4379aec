import { expect, test } from 'vitest';
import { findForwardChains, observeNftRuleset, refuses } from '../../../src/system/nft-ruleset.ts';

const place = { family: 'inet', table: 'house' };
const chain = (changes: object = {}) => ({
  chain: { ...place, name: 'through', hook: 'forward', policy: 'accept', ...changes },
});
const rule = (...expr: readonly (object | string)[]) => ({
  rule: { ...place, chain: 'through', handle: 1, expr },
});
const bridge = { match: { op: '==', left: { meta: { key: 'iifname' } }, right: 'br7' } };
const read = (...rows: readonly object[]) =>
  observeNftRuleset(() =>
    Promise.resolve(JSON.stringify({ nftables: [{ metainfo: {} }, ...rows] })),
  );

test.each<readonly [claim: string, rows: readonly object[], isClosed: readonly boolean[]]>([
  ['a chain whose policy drops is closed', [chain({ policy: 'drop' })], [true]],
  ['a chain that accepts is open', [chain()], [false]],
  [
    'a rule that every packet meets closes it',
    [chain(), rule({ reject: { type: 'icmpx' } })],
    [true],
  ],
  [
    'also one that counts and logs',
    [chain(), rule({ counter: { packets: 1, bytes: 2 } }, { log: null }, { drop: null })],
    [true],
  ],
  ['a rule that refuses some leaves it open', [chain(), rule(bridge, { drop: null })], [false]],
  [
    'a statement that nft has no JSON for is no refusal',
    [chain(), rule('add @m { ip saddr : 1:2 }')],
    [false],
  ],
  [
    'a rule with one refuses some',
    [chain(), rule('add @m { ip saddr : 1:2 }', { drop: null })],
    [false],
  ],
  [
    'a rule that only counts leaves it open',
    [chain(), rule({ counter: { packets: 1, bytes: 2 } })],
    [false],
  ],
  [
    "another chain's rule leaves it open",
    [chain({ name: 'other' }), rule({ drop: null })],
    [false],
  ],
  [
    "another family's rule leaves it open",
    [chain({ family: 'ip' }), rule({ drop: null })],
    [false],
  ],
  ['IPv6 alone is not looked at', [chain({ family: 'ip6', policy: 'drop' })], []],
  ['a bridge forwards no IP packets', [chain({ family: 'bridge', policy: 'drop' })], []],
  [
    'another hook is not looked at',
    [chain({ hook: 'input', policy: 'drop' }), chain({ hook: undefined })],
    [],
  ],
])('%s', async (_, rows, isClosed) => {
  const found = findForwardChains(await read(...rows));
  expect(found.map((own) => own.isClosed)).toEqual(isClosed);
});

test('a chain comes with its own rules', async () => {
  const rows = [
    chain(),
    rule(bridge, { accept: null }),
    { rule: { ...place, chain: 'other', handle: 2, expr: [] } },
  ];
  const [found] = findForwardChains(await read(...rows));
  expect(found?.rules.map(({ handle, expr }) => [handle, refuses({ expr })])).toEqual([[1, false]]);
});

test('a listing of another shape is an error', async () => {
  await expect(
    observeNftRuleset(() => Promise.resolve('table inet house {')),
  ).rejects.toMatchObject({
    code: 'command-failed',
  });
});
