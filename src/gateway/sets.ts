import { overlaps, parsePrefix, toNetwork } from '../lib/addresses.ts';
import { listCeilingSets } from './ceiling-rules.ts';
import { listLineSets } from './line-rules.ts';
import { type GatewayPolicy, specialPrefixes } from './policy.ts';
import { toPortSets } from './ports.ts';

/** A set in which rules look things up: its type for nft, and its elements as nft prints them. */
export interface RuleSet {
  readonly type: string;
  readonly elements: readonly string[];
  /**
   * True where rules fill it while packets pass. Its elements are the kernel's own and are not
   * compared.
   */
  readonly isFilledByRules?: true;
  /** True where each element leads to a value: nft calls this a map. */
  readonly isMap?: true;
}

/** Every set of the ruleset except the permit, by name. */
export function toSets(policy: GatewayPolicy) {
  return {
    allowed4: toSet(policy.allowDestinations, 4),
    allowed6: toSet(policy.allowDestinations, 6),
    own4: toSet(policy.ownPrefixes, 4),
    own6: toSet(policy.ownPrefixes, 6),
    special4: toSet(specialPrefixes.v4, 4),
    special6: toSet(specialPrefixes.v6, 6),
    ...toPortSets(policy.blockedPorts),
    ...listCeilingSets(),
    ...listLineSets(),
  };
}

/**
 * A set with its elements sorted as nft prints them. Prefixes within another one are left out,
 * because an interval set refuses them.
 */
function toSet(prefixes: readonly string[], family: 4 | 6): RuleSet {
  const parsed = prefixes
    .flatMap((text) => parsePrefix(text) ?? [])
    .filter((prefix) => prefix.family === family);
  const wide: string[] = [];
  for (const prefix of parsed.toSorted((one, other) => one.length - other.length).map(toNetwork)) {
    if (!wide.some((other) => overlaps(prefix, other))) wide.push(prefix);
  }
  return { type: `type ipv${family}_addr; flags interval;`, elements: wide.sort() };
}
