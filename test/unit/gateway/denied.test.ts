import { describe, expect, test } from 'vitest';
import { type DeniedPolicy, matchesDenied, renderDenied } from '../../../src/gateway/denied.ts';
import { badMark, deniedMark } from '../../../src/gateway/policy.ts';
import { type AddressList, parseAddressList } from '../../../src/system/address-list.ts';
import type { NftTable } from '../../../src/system/nft.ts';

const list = (text: string) => parseAddressList(text, 'list');
const one = list('192.0.2.7\n2001:db8::/32');
const other = list(
  Array.from({ length: 12_000 }, (_, index) => `20.${index >> 8}.${index & 255}.0`).join('\n'),
);
const devices = ['tributary0'];
const policy = (...lists: readonly AddressList[]): DeniedPolicy => ({
  table: 'denied',
  groups: [{ name: 'denied', mark: deniedMark, devices, lists, isHeldTwice: true }],
});
/** With a list of bad addresses for these devices beside it. */
const withBad = (bad: readonly AddressList[], ...lists: readonly AddressList[]): DeniedPolicy => ({
  table: 'denied',
  groups: [
    { name: 'bad', mark: badMark, devices, lists: bad, isHeldTwice: false },
    ...policy(...lists).groups,
  ],
});

/** The kernel's table, with these sets, looked into by rules where they are full. */
function createTable(
  full: readonly string[],
  half: readonly string[] = [],
  from = 'tributary0',
): NftTable {
  return {
    counters: new Map(),
    quotas: new Map(),
    sets: new Map([...full, ...half].map((name) => [name, []])),
    expires: new Map(),
    elementPackets: new Map(),
    listing: '',
    rules: new Map([
      ['arrival', [`denied ${from}`]],
      ['answers', [`denied ${from}`]],
      ['denied', full],
      ['denied_answers', full],
      ['held', ['held', 'held-answers']],
    ]),
    policies: new Map(),
  };
}

const namesOf = ({ hash, sets }: typeof one) =>
  sets.map(({ family, length }) => `v${family}_${hash}${length === undefined ? '' : `_${length}`}`);

describe('what is denied', () => {
  test('looks as reviewed', async () => {
    const text = [...renderDenied(undefined, policy(one))].join('\n');
    await expect(text).toMatchFileSnapshot('../../golden/gateway-denied.nft');
  });

  test('looks as reviewed where many prefixes have one length', async () => {
    const many = (toEntry: (upper: number, lower: number) => string) =>
      Array.from({ length: 1000 }, (_, index) => toEntry(index >> 6, (index & 63) * 4));
    const mixed = [
      ...many((upper, lower) => `20.${upper}.${lower}.0/24`),
      ...many((upper, lower) => `30.${upper}.0.${lower + 1}`),
      '40.0.0.0/8',
    ];
    const text = [...renderDenied(undefined, policy(list(mixed.join('\n'))))].join('\n');
    await expect(
      text.replaceAll(/elements = \{ [23]0.*? \}/g, 'elements = { … }'),
    ).toMatchFileSnapshot('../../golden/gateway-denied-by-length.nft');
  });

  test('is filled in pieces, and its rules come last', () => {
    const scripts = [...renderDenied(undefined, policy(other))];
    expect(scripts.map((script) => /chain denied/.test(script))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(scripts[1]).toContain('elements = { 20.0.0.0, 20.0.1.0,');
  });

  test.each([
    [32, 'ip daddr', (index: number) => `20.${index >> 7}.${(index & 127) * 2}.1`],
    [
      23,
      'ip daddr & 255.255.254.0',
      (index: number) => `20.${index >> 6}.${(index & 63) * 4}.0/23`,
    ],
    [9, 'ip daddr & 255.128.0.0', (index: number) => `20.${index >> 6}.${(index & 63) * 4}.0/23`],
  ])('finds many prefixes of length %i by a hash', (length, match, toEntry) => {
    const many = list(Array.from({ length: 1500 }, (_, index) => toEntry(index)).join('\n'));
    const sets = many.sets.map((set) => ({ ...set, length }));
    const text = [...renderDenied(undefined, policy({ ...many, sets }))].join('');
    const name = `v4_${many.hash}_${length}`;
    expect(text).toContain(`set ${name} { type ipv4_addr; size 1500; }`);
    expect(text).toContain(`${match} @${name} meta mark set`);
    expect(text).toContain(`${match.replace('daddr', 'saddr')} @${name} meta mark set`);
  });

  test('is left alone where it is in the kernel', () => {
    const table = createTable(namesOf(one));
    expect(matchesDenied(table, policy(one))).toBe(true);
    expect([...renderDenied(table, policy(one))]).toEqual([]);
    expect([...renderDenied(undefined, policy())]).toEqual([]);
  });

  test.each<readonly [string, NftTable]>([
    ['a rule is gone', createTable(namesOf(one).slice(1))],
    ['it is for another tunnel', createTable(namesOf(one), [], 'other0')],
    [
      'nothing holds the mark',
      { ...createTable(namesOf(one)), rules: new Map([['denied', namesOf(one)]]) },
    ],
  ])('does not match the policy where %s', (_claim, table) => {
    expect(matchesDenied(table, policy(one))).toBe(false);
    expect([...renderDenied(table, policy(one))].join('')).toContain('chain held');
  });

  test('changes one list without filling the others again, and drops what is no longer looked into', () => {
    const scripts = [
      ...renderDenied(createTable([...namesOf(one), 'v4_former']), policy(one, other)),
    ];
    const text = scripts.join('');
    expect(text).not.toContain('192.0.2.7');
    expect(scripts.at(-1)).toContain('delete set inet denied v4_former');
    expect(scripts.slice(0, -1).join('')).not.toContain('delete');
  });

  test('fills a set again that a crash has left half full', () => {
    const [first = ''] = renderDenied(createTable([], namesOf(other)), policy(other));
    expect(first).toContain(`flush set inet denied ${namesOf(other)[0]}`);
  });

  test('holds bad addresses for the devices that have strict rules, under a mark of their own', async () => {
    const text = [...renderDenied(undefined, withBad([one], other))].join('\n');
    await expect(
      text.replaceAll(/elements = \{ 20.*? \}/g, 'elements = { … }'),
    ).toMatchFileSnapshot('../../golden/gateway-bad-addresses.nft');
  });

  test('drops the chains of a group that goes, and keeps the sets of the other', () => {
    const table = createTable(namesOf(other));
    const before: NftTable = {
      ...table,
      rules: new Map([
        ...table.rules,
        ['arrival', ['bad tributary0', 'denied tributary0']],
        ['bad', namesOf(one)],
      ]),
      sets: new Map([...table.sets, ...namesOf(one).map((name) => [name, []] as const)]),
    };
    const text = [...renderDenied(before, policy(other))].join('\n');
    expect(text).toContain('delete chain inet denied bad\n');
    expect(text).toContain(`delete set inet denied ${namesOf(one)[0]}`);
    expect(text).not.toContain('elements');
    expect(matchesDenied(before, policy(other))).toBe(false);
  });

  test('is no table where the one list has no device', () => {
    const [bad] = withBad([one]).groups;
    expect([
      ...renderDenied(undefined, { table: 'denied', groups: bad ? [{ ...bad, devices: [] }] : [] }),
    ]).toEqual([]);
  });

  test('goes with its table', () => {
    expect([...renderDenied(createTable(namesOf(one)), policy())]).toEqual([
      'delete table inet denied\n',
    ]);
  });
});
