import { hash } from 'node:crypto';
import type { NftTable } from '../system/nft.ts';
import { nameEntrance, toChains } from './chains.ts';
import { declareJudgement, firstJudgement, flushJudgement, renderJudgement } from './judged.ts';
import {
  type ForwardedTotals,
  type GatewayLayout,
  type GatewayPolicy,
  refusals,
  tableName,
} from './policy.ts';
import { type Chain, hasRules, renderChain, rule } from './rule.ts';
import { probeSets } from './self-test.ts';
import { type RuleSet, toSets } from './sets.ts';
import { listStrictChainNames } from './strict-rules.ts';

/** The ruleset as data: it is rendered, and compared with a listing of the kernel's table. */
export interface Ruleset {
  readonly chains: readonly Chain[];
  readonly sets: Readonly<Record<keyof ReturnType<typeof toSets>, RuleSet>>;
  /**
   * A hash that changes when anything but a running total changes. In the kernel it is the first
   * rule's comment.
   */
  readonly fingerprint: string;
  /** Bytes that may still pass, by the quota that counts them; undefined without this quota. */
  readonly quotas: Readonly<Record<'cap' | 'cap_new', number | undefined>>;
  /**
   * How many sources there are: each has a place for its entrance, whether its device is there.
   */
  readonly entrances: number;
  /**
   * True where what the ceilings have counted goes on; else their counts begin again when it is
   * installed.
   */
  readonly keepsCounts: boolean;
  /**
   * The mark of connections that are known to speak with whom they may; each loading takes another.
   */
  readonly judgement: number;
}

/** The rules for a policy. Pure: reading top-down is reading what happens to a packet. */
export function toRuleset(policy: GatewayPolicy): Ruleset {
  const { remainingBytes: cap, remainingNewBytes: cap_new } = policy;
  return {
    ...toSigned(policy),
    quotas: { cap, cap_new },
    keepsCounts: false,
    judgement: firstJudgement,
    entrances: policy.devices.length,
  };
}

type Signed = Pick<Ruleset, 'chains' | 'sets' | 'fingerprint'>;

/** What was made for policies before: each pass asks, and they seldom change. */
const signed = new Map<string, Signed>();
const mostSigned = 4;

/** Of what is left of a cap, rules depend only on whether there is one. */
function toSigned(policy: GatewayPolicy): Signed {
  const { remainingBytes, remainingNewBytes, ...lasting } = policy;
  const isCapped = [remainingBytes, remainingNewBytes].map((bytes) => bytes !== undefined);
  const key = JSON.stringify([isCapped, lasting]);
  const known = signed.get(key);
  if (known !== undefined) return known;
  if (signed.size >= mostSigned) signed.clear();
  const made = sign(toChains(policy), toSets(policy), lasting);
  signed.set(key, made);
  return made;
}

function sign(unsigned: readonly Chain[], sets: Signed['sets'], lasting: GatewayLayout): Signed {
  const digest = hash('sha256', JSON.stringify([unsigned, sets, lasting]));
  const fingerprint = `ruleset ${digest.slice(0, 16)}`;
  const chains = unsigned.map((own) =>
    own.name === 'arrival'
      ? { ...own, rules: own.rules.map(({ text }) => rule(fingerprint, text)) }
      : own,
  );
  return { chains, sets, fingerprint };
}

/**
 * What loading keeps: `change` keeps counters and permit, `keep-cap` also what the cap leaves,
 * `replace` nothing, so that a moved chain is removed.
 */
export type Loading = 'change' | 'keep-cap' | 'replace';

/**
 * One transaction that turns any table into this ruleset. A new table's forwarded counters begin at
 * `totals`.
 */
export function renderRuleset(
  ruleset: Ruleset,
  totals: ForwardedTotals,
  loading: Loading = 'change',
): string {
  const sets = Object.entries(ruleset.sets);
  const entrances = Array.from({ length: ruleset.entrances }, (_, index) => nameEntrance(index));
  const quotas = loading === 'keep-cap' ? [] : Object.entries(ruleset.quotas);
  const gone = listStrictChainNames().filter(
    (name) => !ruleset.chains.some((own) => own.name === name),
  );
  const kindOf = ({ isMap }: RuleSet) => (isMap ? 'map' : 'set');
  return `${[
    ...(loading === 'replace' ? [`table inet ${tableName}`, `delete table inet ${tableName}`] : []),
    // The table is declared first, so that flushing and deleting below work even if it was missing.
    `table inet ${tableName} {`,
    `  set permit { ${permitType} }`,
    ...Object.values(probeSets).map((name) => `  set ${name} { type mark; flags dynamic; }`),
    ...sets.map(([name, set]) => `  ${kindOf(set)} ${name} { ${set.type} }`),
    ...declareJudgement(),
    `  counter forwarded_up { packets ${totals.up.packets} bytes ${totals.up.bytes} }`,
    `  counter forwarded_down { packets ${totals.down.packets} bytes ${totals.down.bytes} }`,
    '  counter handed_up { }',
    '  counter handed_down { }',
    '  counter merged_up { }',
    '  counter merged_down { }',
    ...Object.keys(refusals).map((name) => `  counter ${name} { }`),
    ...quotas.map(([name]) => `  quota ${name} { over 1 bytes }`),
    ...[...entrances, ...gone].flatMap((name) => [`  chain ${name} {`, '  }']),
    '}',
    `flush table inet ${tableName}`,
    // Entrances are tied to a device that may be another by now.
    ...[...entrances, ...gone].map((name) => `delete chain inet ${tableName} ${name}`),
    ...sets
      .filter(([, { isFilledByRules }]) => !(isFilledByRules && ruleset.keepsCounts))
      .map(([name, set]) => `flush ${kindOf(set)} inet ${tableName} ${name}`),
    ...flushJudgement(`inet ${tableName}`),
    ...quotas.map(([name]) => `delete quota inet ${tableName} ${name}`),
    `table inet ${tableName} {`,
    ...quotas.flatMap(([name, left]) =>
      left === undefined ? [] : [`  quota ${name} { over ${Math.max(left, 0)} bytes }`],
    ),
    ...sets.flatMap(([name, { type, elements }]) =>
      elements.length === 0
        ? []
        : [`  set ${name} { ${type} elements = { ${elements.join(', ')} } }`],
    ),
    ...renderJudgement(ruleset.judgement),
    ...ruleset.chains.flatMap(renderChain),
    '}',
  ].join('\n')}\n`;
}

/**
 * The ruleset for a kernel that has this table. Counts go on while the rules that count are
 * unchanged, because a count keeps the ceiling or rate that it began with.
 */
export function continueCounts(
  ruleset: Ruleset,
  before: Pick<NftTable, 'rules'> | undefined,
): Ruleset {
  const counting = ruleset.chains.filter(({ name }) => name === 'ceilings' || name === 'to_tunnel');
  return {
    ...ruleset,
    keepsCounts: before !== undefined && counting.every((own) => hasRules(before, own)),
  };
}

/** One transaction that sets counters of what the rules did not see. */
export function renderHeaders(merged: ReadonlyMap<string, ForwardedTotals['down']>): string {
  return `${[
    ...[...merged.keys()].map((name) => `delete counter inet ${tableName} ${name}`),
    `table inet ${tableName} {`,
    ...[...merged].map(
      ([name, { packets, bytes }]) => `  counter ${name} { packets ${packets} bytes ${bytes} }`,
    ),
    '}',
  ].join('\n')}\n`;
}

/** One transaction that sets quotas which are there. What they have counted goes on. */
export function renderQuotas(quotas: readonly (readonly [name: string, bytes: number])[]): string {
  const lines = quotas.map(([name, bytes]) => `  quota ${name} { over ${bytes} bytes }`);
  return `table inet ${tableName} {\n${lines.join('\n')}\n}\n`;
}

const permitType = 'type ifname; flags dynamic,timeout;';

/**
 * The set is flushed first, because adding restarts no timeout. `add element` is avoided, because
 * nft would first read the elements of every set.
 */
export function renderPermit(devices: readonly string[], seconds: number): string {
  const elements = devices.map((name) => `"${name}" timeout ${seconds}s`).join(', ');
  const set = `  set permit { ${permitType} elements = { ${elements} } }`;
  return `${renderNoPermit()}table inet ${tableName} {\n${set}\n}\n`;
}

export function renderNoPermit(): string {
  return `flush set inet ${tableName} permit\n`;
}
