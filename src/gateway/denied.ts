import type { AddressList } from '../system/address-list.ts';
import type { NftTable } from '../system/nft.ts';
import { nameDevices } from './devices.ts';
import { baseChain, type Chain, chain, hasRules, type Rule, renderChain, rule } from './rule.ts';
import { probeMark } from './self-test.ts';

/*
 * What the owner denies by name or by file, and the bad addresses of the strict rules, in a table
 * of their own. nft reads every element of a
 * table's sets whenever it lists that table: 64,000 elements would cost each pass half a second. So
 * this table is filled only when a list has changed, and listed without elements. It marks packets
 * to these addresses and answers from them, and the main table counts and drops them; if the main
 * table is gone, this one drops them itself.
 */

/** Lists for some devices. The later of two groups wins where an address is in both. */
export interface DeniedGroup {
  /** The name of its chain. */
  readonly name: 'bad' | 'denied';
  /** By which the main table knows its packets. */
  readonly mark: string;
  /** Names of the sources' devices that it holds for. */
  readonly devices: readonly string[];
  readonly lists: readonly AddressList[];
  /** True where this table drops its packets if the main table did not. */
  readonly isHeldTwice: boolean;
}

export interface DeniedPolicy {
  readonly table: string;
  /** Without a device or without a list a group is nothing; without any group there is no table. */
  readonly groups: readonly DeniedGroup[];
}

/**
 * True where the kernel's table has the rules of this policy, which means that each set was filled
 * completely.
 */
export function matchesDenied(table: NftTable | undefined, policy: DeniedPolicy): boolean {
  const groups = listGroups(policy);
  if (groups.length === 0) return table === undefined;
  if (table === undefined) return false;
  const chains = listChains(groups);
  const known = new Set(chains.map(({ name }) => name));
  return (
    [...table.rules.keys()].every((name) => known.has(name)) &&
    chains.every((own) => hasRules(table, own))
  );
}

/**
 * Transactions that have to be applied in this order. What was denied before stays denied until the
 * last one, which alone changes rules.
 */
export function* renderDenied(
  table: NftTable | undefined,
  policy: DeniedPolicy,
): Generator<string> {
  const name = `inet ${policy.table}`;
  if (matchesDenied(table, policy)) return;
  const groups = listGroups(policy);
  if (groups.length === 0) {
    yield `delete table ${name}\n`;
    return;
  }
  const sets = listSets(groups.flatMap(({ lists }) => lists));
  // A set that a rule looks into was filled completely. Another set of the right name may be left
  // from a crash.
  const filled = new Set(['bad', 'denied'].flatMap((own) => table?.rules.get(own) ?? []));
  const chains = listChains(groups);
  // A table without a chain would not be found again after a crash.
  const empty = chains.slice(0, 1).flatMap((own) => renderChain({ ...own, rules: [] }));
  for (const set of sets.filter((own) => !filled.has(own.name))) {
    const declared = [
      `table ${name} {`,
      ...(table === undefined ? empty : []),
      `  set ${set.name} { ${set.type} }`,
      '}',
    ];
    yield `${declared.join('\n')}\nflush set ${name} ${set.name}\n`;
    // `add element` is avoided, because nft would first read all elements that the set has.
    for (const chunk of set.chunks)
      yield `table ${name} {\n  set ${set.name} { ${set.type} elements = { ${chunk} } }\n}\n`;
  }
  const wanted = new Set(sets.map((set) => set.name));
  const former = [...(table?.sets.keys() ?? [])].filter((set) => !wanted.has(set));
  const formerChains = [...(table?.rules.keys() ?? [])].filter(
    (own) => !chains.some((chain) => chain.name === own),
  );
  yield [
    `table ${name}`,
    `flush table ${name}`,
    `table ${name} {`,
    ...chains.flatMap(renderChain),
    '}',
    ...formerChains.map((own) => `delete chain ${name} ${own}`),
    ...former.map((set) => `delete set ${name} ${set}`),
    '',
  ].join('\n');
}

function listGroups({ groups }: DeniedPolicy): readonly DeniedGroup[] {
  return groups.filter(({ devices, lists }) => devices.length > 0 && lists.length > 0);
}

function listChains(groups: readonly DeniedGroup[]): readonly Chain[] {
  const ofEach = (toRules: (group: DeniedGroup, devices: string) => readonly Rule[]) =>
    groups.flatMap((group) => toRules(group, nameDevices(group.devices.map((name) => ({ name })))));
  const toMarks = ({ lists, mark }: DeniedGroup, side: 'saddr' | 'daddr') =>
    listSets(lists).map(({ name, protocol, mask }) =>
      rule(name, `${protocol} ${side}${mask} @${name} meta mark set ${mark}`),
    );
  // The self-test's own packets keep their mark: a list may hold where they seem to go.
  const isConsumers = probeMark.any.replace('==', '!=');
  const nameWay = ({ name, devices }: DeniedGroup) => `${name} ${devices.join(' ')}`;
  return [
    // This is before the main table looks at the destination.
    baseChain('arrival', 'type filter hook prerouting priority filter - 1; policy accept;', [
      ...ofEach((group, devices) => [
        rule(nameWay(group), `iifname ${devices} ${isConsumers} jump ${group.name}`),
      ]),
    ]),
    // And this before it looks at what comes back.
    baseChain('answers', 'type filter hook forward priority filter - 1; policy accept;', [
      ...ofEach((group, devices) => [
        rule(nameWay(group), `oifname ${devices} jump ${group.name}_answers`),
      ]),
    ]),
    ...groups.flatMap((group) => [
      chain(group.name, toMarks(group, 'daddr')),
      chain(`${group.name}_answers`, toMarks(group, 'saddr')),
    ]),
    baseChain('held', 'type filter hook forward priority filter + 1; policy accept;', [
      ...ofEach(({ isHeldTwice, mark }, devices) =>
        isHeldTwice
          ? [
              rule('held', `iifname ${devices} meta mark ${mark} drop`),
              rule('held-answers', `oifname ${devices} meta mark ${mark} drop`),
            ]
          : [],
      ),
    ]),
  ];
}

/** Each list's sets, named for its content. */
function listSets(lists: readonly AddressList[]) {
  const sets = lists.flatMap(({ hash, sets: own }) =>
    own.map(({ family, length, size, chunks }) => ({
      name: `v${family}_${hash}${length === undefined ? '' : `_${length}`}`,
      protocol: family === 4 ? 'ip' : 'ip6',
      // Told its size, the kernel makes room once, and finds an element sooner.
      type: `type ipv${family}_addr; ${length === undefined ? 'flags interval;' : `size ${size};`}`,
      mask: length === undefined || length === 32 ? '' : ` & ${toMask(length)}`,
      chunks,
    })),
  );
  // A file that was given twice is one list.
  return [...new Map(sets.map((set) => [set.name, set])).values()];
}

/** `255.255.255.0` for 24. */
function toMask(length: number): string {
  const ones = (2 ** 32 - 2 ** (32 - length)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (ones >>> shift) & 255).join('.');
}
