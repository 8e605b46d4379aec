import { toUndefined } from '../errors/codes.ts';
import { type DeniedPolicy, matchesDenied, renderDenied } from '../gateway/denied.ts';
import { type FenceRecord, isFence, matchesRuleset } from '../gateway/matches.ts';
import { continueCounts, type Loading, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import type { Exec } from '../system/exec.ts';
import { applyNft, type NftTable, observeNftOutline } from '../system/nft.ts';
import { type DesiredTable, planPolicy } from './compose.ts';
import { type ObservedHost, observeTable } from './observe.ts';
import { holdsPermit, revokePermit } from './permit.ts';
import { readTotals } from './state.ts';

/** The fence as a pass left it. */
export interface Fence {
  readonly table: NftTable | undefined;
  /**
   * False where the kernel's table is not the ruleset that was applied: nothing may be forwarded
   * then.
   */
  readonly isFenced: boolean;
  /**
   * How the kernel listed the fence after it was applied; undefined: that was not seen, and it is
   * applied once more.
   */
  readonly record: FenceRecord | undefined;
}

/**
 * Makes the table the ruleset; what cannot be made so by a change is replaced. Grants no permit,
 * and ends one where traffic might escape the count meanwhile.
 * @throws command-failed
 */
export async function reconcileTable(
  exec: Exec,
  { table, record }: Pick<ObservedHost, 'table' | 'record'>,
  desired: DesiredTable,
): Promise<Fence> {
  const ruleset = toRuleset(planPolicy(desired, readTotals(table) ?? desired.totals));
  const isKnown = matchesRuleset(table, ruleset);
  const isAsRecorded =
    record?.fingerprint === ruleset.fingerprint && record.listing === table?.listing;
  if (isKnown && isAsRecorded) return { table, isFenced: true, record };
  // After a restart nothing is recorded: the same rules are loaded again, under traffic that goes
  // on.
  const first = isKnown && record === undefined ? 'keep-cap' : 'change';
  const fence = await install(exec, { table, record }, { ...desired, loading: first }).catch(
    toUndefined('command-failed'),
  );
  if (fence?.isFenced === true) return fence;
  const current = { table: await observeTable(exec), record };
  return install(exec, current, { ...desired, loading: 'replace' });
}

/**
 * A record of the same rules that the kernel lists in another way now is forgotten: a new version
 * of nft may be why.
 */
async function install(
  exec: Exec,
  { table, record: before }: Pick<ObservedHost, 'table' | 'record'>,
  desired: DesiredTable & { readonly loading: Loading },
): Promise<Fence> {
  const { loading } = desired;
  // What passes between reading and new quota would escape the cap; what is replaced is not trusted
  // with traffic.
  const isHeld =
    loading === 'replace' || (loading === 'change' && desired.stopAtBytes !== undefined);
  const held = isHeld ? await holdTraffic(exec, table) : table;
  const totals = readTotals(held) ?? desired.totals;
  const ruleset = toRuleset(planPolicy(desired, totals));
  // A table that is made again has counted nothing.
  const counting = loading === 'replace' ? ruleset : continueCounts(ruleset, held);
  await applyNft(exec, renderRuleset(counting, totals, loading), 'installing the gateway');
  const after = await observeTable(exec);
  const { fingerprint } = ruleset;
  const isOther = before?.fingerprint === fingerprint && before.listing !== after?.listing;
  if (!isFence(after, ruleset) || isOther)
    return { table: after, isFenced: false, record: undefined };
  return { table: after, isFenced: true, record: { fingerprint, listing: after.listing } };
}

/**
 * Makes the table of what the owner denies; false where the kernel did not take it.
 * @throws command-failed
 */
export async function reconcileDenied(
  exec: Exec,
  table: NftTable | undefined,
  policy: DeniedPolicy,
): Promise<boolean> {
  if (matchesDenied(table, policy)) return true;
  for (const script of renderDenied(table, policy))
    await applyNft(exec, script, 'installing what is denied');
  return matchesDenied(await observeNftOutline(exec, policy.table), policy);
}

/**
 * Ends the permit, which the pass renews when it is through, and reads the counters, which no
 * longer move.
 */
async function holdTraffic(exec: Exec, table: NftTable | undefined): Promise<NftTable | undefined> {
  if (!holdsPermit(table)) return table;
  await revokePermit(exec);
  return observeTable(exec);
}
