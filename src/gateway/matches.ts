import { isDeepStrictEqual } from 'node:util';
import type { NftTable } from '../system/nft.ts';
import { hasRules } from './rule.ts';
import type { Ruleset } from './ruleset.ts';

/**
 * How many bytes the kernel's quota and the counters may differ while packets pass between the two
 * readings.
 */
const quotaSlackBytes = 1024 * 1024;

/**
 * The listing right after loading. Only a comparison with it shows a rule that was swapped under
 * its comment, a moved chain or a dormant table.
 */
export interface FenceRecord {
  readonly fingerprint: string;
  readonly listing: string;
}

/**
 * True where the kernel's table is this ruleset: rules of the same names in the same order, the
 * same sets, the same cap.
 */
export function matchesRuleset(table: NftTable | undefined, ruleset: Ruleset): table is NftTable {
  return isFence(table, ruleset) && hasSameCap(table, ruleset);
}

/**
 * True where the kernel's table has this ruleset's rules and sets. What the cap leaves may differ,
 * because traffic uses it up while the ruleset is being installed.
 */
export function isFence(table: NftTable | undefined, ruleset: Ruleset): table is NftTable {
  if (table === undefined) return false;
  const quotas = Object.entries(ruleset.quotas);
  if (quotas.some(([name, left]) => table.quotas.has(name) !== (left !== undefined))) return false;
  return hasSameRules(table, ruleset) && hasSameSets(table, ruleset);
}

function hasSameRules(table: NftTable, ruleset: Ruleset): boolean {
  const known = new Set(ruleset.chains.map((chain) => chain.name));
  if ([...table.rules.keys(), ...table.policies.keys()].some((name) => !known.has(name)))
    return false;
  return ruleset.chains.every((chain) => {
    const policy = /policy (\w+)/.exec(chain.hook ?? '')?.[1];
    return table.policies.get(chain.name) === policy && hasRules(table, chain);
  });
}

function hasSameSets(table: NftTable, ruleset: Ruleset): boolean {
  return Object.entries(ruleset.sets).every(
    ([name, { elements, isFilledByRules }]) =>
      isFilledByRules || isDeepStrictEqual(table.sets.get(name) ?? [], elements),
  );
}

function hasSameCap(table: NftTable, ruleset: Ruleset): boolean {
  return Object.entries(ruleset.quotas).every(([name, desired]) => {
    const quota = table.quotas.get(name);
    if (desired === undefined || quota === undefined) return true;
    const remaining = quota.bytes - quota.used;
    // Once the cap is used up, the exact number no longer matters.
    return (desired <= 0 && remaining <= 0) || Math.abs(remaining - desired) <= quotaSlackBytes;
  });
}
