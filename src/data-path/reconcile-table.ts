import { toUndefined } from '../errors/codes.ts';
import { type DeniedPolicy, matchesDenied, renderDenied } from '../gateway/denied.ts';
import { chooseJudgement } from '../gateway/judged.ts';
import { type FenceRecord, isFence, matchesRuleset } from '../gateway/matches.ts';
import { continueCounts, type Loading, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import type { Exec } from '../system/exec.ts';
import { applyNft, type NftTable, observeNftOutline } from '../system/nft.ts';
import { type DesiredTable, planPolicy } from './compose.ts';
import { type ObservedHost, observeTable } from './observe.ts';
import { holdsPermit, revokePermit } from './permit.ts';
import { readTotals } from './state.ts';

/** The fence after a pass. */
export interface Fence {
  readonly table: NftTable | undefined;
  /**
   * False where the kernel's table is not the ruleset that was applied: nothing may be forwarded
   * then.
   */
  readonly isFenced: boolean;
  /**
   * The kernel's listing of the fence after it was applied; undefined if it was not seen, and then
   * the fence is applied once more.
   */
  readonly record: FenceRecord | undefined;
}

/**
 * Makes the kernel's table the ruleset. What a change cannot make is replaced. Grants no permit,
 * and ends one if traffic might escape the count meanwhile.
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
  // After a restart nothing is recorded, so the rules are loaded again under running traffic.
  const first = isKnown && record === undefined ? 'keep-cap' : 'change';
  const fence = await install(exec, { table, record }, { ...desired, loading: first }).catch(
    toUndefined('command-failed'),
  );
  if (fence?.isFenced === true) return fence;
  const current = { table: await observeTable(exec), record };
  return install(exec, current, { ...desired, loading: 'replace' });
}

/**
 * Loads the ruleset. A record of these rules is dropped if the kernel now lists them differently,
 * which a new version of nft may cause.
 */
async function install(
  exec: Exec,
  { table, record: before }: Pick<ObservedHost, 'table' | 'record'>,
  desired: DesiredTable & { readonly loading: Loading },
): Promise<Fence> {
  const { loading } = desired;
  // Traffic between the reading and the new quota would escape the cap, and a table that is
  // replaced is not trusted with traffic. So traffic is held.
  const isHeld =
    loading === 'replace' || (loading === 'change' && desired.stopAtBytes !== undefined);
  const held = isHeld ? await holdTraffic(exec, table) : table;
  const totals = readTotals(held) ?? desired.totals;
  const ruleset = toRuleset(planPolicy(desired, totals));
  // A new table has counted nothing yet.
  const counting = loading === 'replace' ? ruleset : continueCounts(ruleset, held);
  const judging = { ...counting, judgement: chooseJudgement() };
  await applyNft(exec, renderRuleset(judging, totals, loading), 'installing the gateway');
  const after = await observeTable(exec);
  const { fingerprint } = ruleset;
  const isOther = before?.fingerprint === fingerprint && before.listing !== after?.listing;
  if (!isFence(after, ruleset) || isOther)
    return { table: after, isFenced: false, record: undefined };
  return { table: after, isFenced: true, record: { fingerprint, listing: after.listing } };
}

/**
 * Makes the table of denied destinations; false if the kernel did not accept it.
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
 * Ends the permit, which the pass grants again at its end, and reads the counters, which no longer
 * move then.
 */
async function holdTraffic(exec: Exec, table: NftTable | undefined): Promise<NftTable | undefined> {
  if (!holdsPermit(table)) return table;
  await revokePermit(exec);
  return observeTable(exec);
}
