import * as z from 'zod';
import type { Exec } from './exec.ts';
import { listNft } from './nft.ts';

/** A chain of any table; `hook` and `policy` are undefined where only a jump leads to it. */
const chainRow = z.object({
  family: z.string(),
  table: z.string(),
  name: z.string(),
  hook: z.string().optional(),
  policy: z.string().optional(),
});
/** Statements for which nft has no JSON come as text. */
const statement = z.union([
  z.record(z.string(), z.unknown()),
  z.string().transform((text) => ({ text })),
]);
const ruleRow = z.object({
  family: z.string(),
  table: z.string(),
  chain: z.string(),
  handle: z.number(),
  comment: z.string().optional(),
  expr: z.array(statement),
});
const row = z.object({ chain: chainRow.optional(), rule: ruleRow.optional() });

export type NftRule = z.infer<typeof ruleRow>;
type NftChain = z.infer<typeof chainRow>;

/** All tables of this network namespace, of any program. */
export interface NftRuleset {
  readonly chains: readonly NftChain[];
  readonly rules: readonly NftRule[];
}

/**
 * Reads all tables, chains and rules.
 * @throws command-failed, missing-program
 */
export async function observeNftRuleset(exec: Exec): Promise<NftRuleset> {
  // Elements of sets are left out, because there may be many.
  const rows = await listNft(exec, '--json --terse list ruleset', {
    row,
    doing: 'reading every nft table',
  });
  return {
    chains: rows.flatMap(({ chain }) => chain ?? []),
    rules: rows.flatMap(({ rule }) => rule ?? []),
  };
}

/** A chain that forwarded IPv4 packets pass through. */
export interface ForwardChain extends Pick<NftChain, 'family' | 'table' | 'name'> {
  /** Its own, in their order. */
  readonly rules: readonly NftRule[];
  /** True where it refuses what none of its earlier rules accepts. */
  readonly isClosed: boolean;
}

/** All such chains, in any table: a packet passes only if every one of them accepts it. */
export function findForwardChains({ chains, rules }: NftRuleset): readonly ForwardChain[] {
  return chains
    .filter(({ family, hook }) => hook === 'forward' && (family === 'ip' || family === 'inet'))
    .map(({ family, table, name, policy }) => {
      const own = rules.filter(
        (rule) => rule.family === family && rule.table === table && rule.chain === name,
      );
      return {
        family,
        table,
        name,
        rules: own,
        isClosed: policy === 'drop' || own.some(refusesEverything),
      };
    });
}

/** True for a rule that drops or rejects without asking what the packet is. */
function refusesEverything({ expr }: NftRule): boolean {
  return (
    refuses({ expr }) &&
    expr.flatMap(Object.keys).every((word) => [...refusals, 'counter', 'log'].includes(word))
  );
}

/** True for a rule that drops or rejects what it matches. */
export function refuses({ expr }: Pick<NftRule, 'expr'>): boolean {
  return expr.flatMap(Object.keys).some((word) => refusals.includes(word));
}

const refusals: readonly string[] = ['drop', 'reject'];
