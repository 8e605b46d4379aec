import * as z from 'zod';
import { TributaryError } from '../lib/errors.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { Exec } from './exec.ts';

const chainRow = z.object({
  family: z.string(),
  table: z.string(),
  name: z.string(),
  hook: z.string().optional(),
  policy: z.string().optional(),
});
const ruleRow = z.object({
  family: z.string(),
  table: z.string(),
  chain: z.string(),
  handle: z.number(),
  comment: z.string().optional(),
  expr: z.array(z.record(z.string(), z.unknown())),
});
const listing = z.object({
  nftables: z.array(z.object({ chain: chainRow.optional(), rule: ruleRow.optional() })),
});

/** A chain of any table; `hook` and `policy` are undefined where nothing but a jump leads to it. */
type NftChain = z.infer<typeof chainRow>;

/** A rule of any table, as far as it can be told from others. */
export type NftRule = z.infer<typeof ruleRow>;

/** All tables of this network namespace, whoever made them. */
export interface NftRuleset {
  readonly chains: readonly NftChain[];
  readonly rules: readonly NftRule[];
}

/** @throws command-failed, missing-program */
export async function observeNftRuleset(exec: Exec): Promise<NftRuleset> {
  const doing = 'reading every nft table';
  // Without the elements of sets, which may be many.
  const text = await exec({ program: 'nft', args: ['--json', '--terse', 'list', 'ruleset'], doing });
  const parsed = listing.safeParse(parseJson(text));
  if (!parsed.success) throw new TributaryError('command-failed', `${doing}: its JSON has another shape`);
  return {
    chains: parsed.data.nftables.flatMap(({ chain }) => chain ?? []),
    rules: parsed.data.nftables.flatMap(({ rule }) => rule ?? []),
  };
}
