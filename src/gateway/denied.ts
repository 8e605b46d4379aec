import type { AddressList } from '../system/address-list.ts';
import type { NftTable } from '../system/nft.ts';
import { nameDevices } from './devices.ts';
import { deniedMark } from './policy.ts';
import { baseChain, type Chain, chain, hasRules, renderChain, rule } from './rule.ts';
import { probeMark } from './self-test.ts';

/*
 * What the owner denies by name or by file, in a table of its own. nft reads every element of a
 * table's sets whenever it lists that table: 64,000 elements would cost each pass half a second. So
 * this table is filled only when a list has changed, and listed without elements. It marks packets,
 * and the main table counts and drops them; if the main table is gone, this one drops them itself.
 */

export interface DeniedPolicy {
  readonly table: string;
  /** Names of the sources' devices. */
  readonly devices: readonly string[];
  /** Empty: no table. */
  readonly lists: readonly AddressList[];
}

/**
 * True where the kernel's table has the rules of this policy, which means that each set was filled
 * completely.
 */
export function matchesDenied(table: NftTable | undefined, policy: DeniedPolicy): boolean {
  if (policy.lists.length === 0) return table === undefined;
  return table !== undefined && listChains(policy).every((own) => hasRules(table, own));
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
  if (policy.lists.length === 0) {
    yield `delete table ${name}\n`;
    return;
  }
  const sets = listSets(policy);
  // A set that a rule looks into was filled completely. Another set of the right name may be left
  // from a crash.
  const filled = new Set(table?.rules.get('denied'));
  for (const set of sets.filter((own) => !filled.has(own.name))) {
    yield `table ${name} {\n  set ${set.name} { ${set.type} }\n}\nflush set ${name} ${set.name}\n`;
    // `add element` is avoided, because nft would first read all elements that the set has.
    for (const chunk of set.chunks)
      yield `table ${name} {\n  set ${set.name} { ${set.type} elements = { ${chunk} } }\n}\n`;
  }
  const wanted = new Set(sets.map((set) => set.name));
  const former = [...(table?.sets.keys() ?? [])].filter((set) => !wanted.has(set));
  yield [
    `table ${name}`,
    `flush table ${name}`,
    `table ${name} {`,
    ...listChains(policy).flatMap(renderChain),
    '}',
    ...former.map((set) => `delete set ${name} ${set}`),
    '',
  ].join('\n');
}

function listChains(policy: DeniedPolicy): readonly Chain[] {
  const from = `iifname ${nameDevices(policy.devices.map((name) => ({ name })))}`;
  // The self-test's own packets keep their mark: a list may hold where they seem to go.
  const isConsumers = probeMark.any.replace('==', '!=');
  const marked = listSets(policy).map(({ name, protocol }) =>
    rule(name, `${protocol} daddr @${name} meta mark set ${deniedMark}`),
  );
  return [
    // This is before the main table looks at the destination.
    baseChain('arrival', 'type filter hook prerouting priority filter - 1; policy accept;', [
      rule(`from ${policy.devices.join(' ')}`, `${from} ${isConsumers} goto denied`),
    ]),
    chain('denied', marked),
    baseChain('held', 'type filter hook forward priority filter + 1; policy accept;', [
      rule('held', `${from} meta mark ${deniedMark} drop`),
    ]),
  ];
}

/** One set for each list and family, named for its content. */
function listSets({ lists }: DeniedPolicy) {
  const sets = lists.flatMap(({ hash, elements }) => [
    {
      name: `v4_${hash}`,
      protocol: 'ip',
      type: 'type ipv4_addr; flags interval;',
      chunks: elements[4],
    },
    {
      name: `v6_${hash}`,
      protocol: 'ip6',
      type: 'type ipv6_addr; flags interval;',
      chunks: elements[6],
    },
  ]);
  // A file that was given twice is one list.
  return [
    ...new Map(
      sets.filter(({ chunks }) => chunks.length > 0).map((set) => [set.name, set]),
    ).values(),
  ];
}
