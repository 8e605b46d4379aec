import type { AddressList } from '../system/address-list.ts';
import type { NftTable } from '../system/nft.ts';
import { deniedMark } from './policy.ts';
import { baseChain, type Chain, chain, hasRules, renderChain, rule } from './rule.ts';
import { probeMark } from './self-test.ts';

/*
 * What the owner denies by name or by file, in a table of its own. nft reads every element of a
 * table's sets whenever it lists that table: 64,000 of them would cost each pass half a second. So
 * this table is filled where a list has changed, and listed without elements. It marks; the main
 * table counts and drops, and so does this one, should the main table be gone.
 */

export interface DeniedPolicy {
  readonly table: string;
  readonly interface: string;
  /** Empty: no table. */
  readonly lists: readonly AddressList[];
}

/** True where the kernel's table is this one, each set filled to the end. */
export function matchesDenied(table: NftTable | undefined, policy: DeniedPolicy): boolean {
  if (policy.lists.length === 0) return table === undefined;
  return table !== undefined && listChains(policy).every((own) => hasRules(table, own));
}

/**
 * Transactions to be applied in this order. What was denied before stays denied until the last; it
 * alone changes rules.
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
  // A set that a rule looks into was filled to the end. Another of this name may be what a crash
  // has left.
  const filled = new Set(table?.rules.get('denied'));
  for (const set of sets.filter((own) => !filled.has(own.name))) {
    yield `table ${name} {\n  set ${set.name} { ${set.type} }\n}\nflush set ${name} ${set.name}\n`;
    // Not `add element`, for which nft would read all that is there already.
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
  const from = `iifname "${policy.interface}"`;
  // The self-test's own packets keep their mark: a list may hold where they seem to go.
  const isConsumers = probeMark.any.replace('==', '!=');
  const marked = listSets(policy).map(({ name, protocol }) =>
    rule(name, `${protocol} daddr @${name} meta mark set ${deniedMark}`),
  );
  return [
    // Before the main table's own look at the destination.
    baseChain('arrival', 'type filter hook prerouting priority filter - 1; policy accept;', [
      rule(`from ${policy.interface}`, `${from} ${isConsumers} goto denied`),
    ]),
    chain('denied', marked),
    baseChain('held', 'type filter hook forward priority filter + 1; policy accept;', [
      rule('held', `${from} meta mark ${deniedMark} drop`),
    ]),
  ];
}

/** Each list has a set for each family that it holds, named for its content. */
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
