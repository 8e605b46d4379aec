import { hash } from 'node:crypto';
import * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { SystemError } from './errors.ts';
import type { Exec, Talk } from './exec.ts';
import type { Listing } from './ip-list.ts';

const word = z.union([z.string(), z.number()]).transform(String);
const joined = z.object({ concat: z.array(word) }).transform(({ concat }) => concat.join(' . '));
const prefix = z.object({ prefix: z.object({ addr: z.string(), len: z.number() }) });
const withState = z.object({
  val: z.union([word, joined]),
  expires: z.number().optional(),
  counter: z.object({ packets: z.number() }).optional(),
});
const bare = z.union([
  word,
  prefix.transform(({ prefix: { addr, len } }) => `${addr}/${len}`),
  z.object({ range: z.tuple([word, word]) }).transform(({ range }) => range.join('-')),
]);
/** An element of a set: its text, and its state if the set keeps one. */
const element = z.union([
  bare.transform((val): z.infer<typeof withState> => ({ val })),
  z.object({ elem: withState }).transform(({ elem }) => elem),
]);

const tableRow = z.object({
  counter: z.object({ name: z.string(), packets: z.number(), bytes: z.number() }).optional(),
  quota: z.object({ name: z.string(), bytes: z.number(), used: z.number() }).optional(),
  set: z.object({ name: z.string(), elem: z.array(element).default([]) }).optional(),
  map: z
    .object({ name: z.string(), elem: z.array(z.tuple([element, z.unknown()])).default([]) })
    .optional(),
  rule: z.object({ chain: z.string(), comment: z.string().optional() }).optional(),
  chain: z
    .object({ name: z.string(), policy: z.string().optional(), hook: z.string().optional() })
    .optional(),
});
const anyRow = z.record(z.string(), z.looseObject({}));
type AnyRow = z.infer<typeof anyRow>;

/** One table of the kernel, reduced to what can be compared. */
export interface NftTable {
  readonly counters: ReadonlyMap<string, { readonly packets: number; readonly bytes: number }>;
  readonly quotas: ReadonlyMap<string, { readonly bytes: number; readonly used: number }>;
  /** Elements of each set as text (`10.0.0.0/8`, `25`), sorted. */
  readonly sets: ReadonlyMap<string, readonly string[]>;
  /** Seconds that each timed element still lives, by set and element (`permit/tributary0`). */
  readonly expires: ReadonlyMap<string, number>;
  /** Packets that each element counted, by set and element, where its set counts. */
  readonly elementPackets: ReadonlyMap<string, number>;
  /** Comments of each chain's rules, in order; a rule without one counts as an empty text. */
  readonly rules: ReadonlyMap<string, readonly string[]>;
  /** Hook chains' policies by chain name. */
  readonly policies: ReadonlyMap<string, string>;
  /**
   * A hash of everything else that is listed: flags, hooks, priorities, the rules' terms, the types
   * of sets. Traffic does not change it.
   */
  readonly listing: string;
}

const longestTold = 65_536;

/**
 * Applies a script in one transaction: all of it or nothing.
 * @throws command-failed, missing-program
 */
export async function applyNft(exec: Exec, script: string, doing: string): Promise<void> {
  // Joined to one line, the script is one transaction for the kept program too. A long one is not
  // told, because the program would keep it in its history.
  const talk: Talk = {
    to: 'nft',
    lines: [script.trimEnd().replaceAll('\n', '; ')],
    isChange: true,
  };
  await exec({
    program: 'nft',
    args: ['-f', '-'],
    input: script,
    doing,
    ...(script.length < longestTold && { talk }),
  });
}

/**
 * A table of the family inet, or one set of it; undefined if it is missing.
 * @throws command-failed, missing-program
 */
export async function observeNftTable(
  exec: Exec,
  name: string,
  set = '',
): Promise<NftTable | undefined> {
  const doing = `reading nft table ${name}`;
  const what = set === '' ? `table inet ${name}` : `set inet ${name} ${set}`;
  const listing = listNft(exec, `-j list ${what}`, { row: anyRow, doing });
  const rows = await listing.catch((error: unknown) => {
    if (error instanceof SystemError && error.message.includes('No such file or directory'))
      return undefined;
    throw error;
  });
  return rows && toNftTable(rows, doing);
}

/**
 * A table of the family inet without the elements of its sets; undefined if it is missing or has no
 * chain. The whole ruleset is asked for, because nft reads every element of a single table only to
 * leave them out. For a list of tables it would do so too, but not for one of chains.
 * @throws command-failed, missing-program
 */
export async function observeNftOutline(exec: Exec, name: string): Promise<NftTable | undefined> {
  const doing = `reading the outline of nft table ${name}`;
  const chains = await listNft(exec, '-j list chains inet', { row: anyRow, doing });
  if (!chains.some(({ chain }) => chain?.table === name)) return undefined;
  const rows = await listNft(exec, '--json --terse list ruleset', { row: anyRow, doing });
  const own = rows.filter((row) =>
    Object.values(row).some((about) => about.table === name && about.family === 'inet'),
  );
  return own.length === 0 ? undefined : toNftTable(own, doing);
}

/**
 * The rows of a listing in JSON.
 * @throws command-failed, also for rows of another form; missing-program
 */
export async function listNft<T>(
  exec: Exec,
  words: string,
  { row, doing }: Listing<T>,
): Promise<readonly T[]> {
  const [option, ...line] = words.split(' ');
  const talk: Talk = { to: 'nft', lines: [line.join(' ')] };
  const text = await exec({
    program: 'nft',
    args: words.split(' '),
    doing,
    ...(option === '-j' && { talk }),
  });
  return checkShape(parseJson(text), z.object({ nftables: z.array(row) }), doing).nftables;
}

/**
 * Makes a quota of a table of the family inet begin again: nothing of it is used then.
 * @throws command-failed, missing-program
 */
export async function resetQuota(
  exec: Exec,
  [table, name]: readonly [table: string, name: string],
): Promise<void> {
  const doing = `letting the quota ${name} begin again`;
  await listNft(exec, `-j reset quota inet ${table} ${name}`, { row: anyRow, doing });
}

function checkShape<T>(json: unknown, schema: z.ZodType<T>, doing: string): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new SystemError('command-failed', `${doing}: its JSON has another shape`);
}

function toNftTable(listed: readonly AnyRow[], doing: string): NftTable {
  const rows = checkShape(listed, z.array(tableRow), doing);
  const listedRules = rows.flatMap(({ rule }) => rule ?? []);
  const maps = rows.flatMap(({ map }) =>
    map ? { ...map, elem: map.elem.map(([key]) => key) } : [],
  );
  const sets = [...rows.flatMap(({ set }) => set ?? []), ...maps];
  const elements = sets.flatMap(({ name, elem }) =>
    elem.map((one) => ({ ...one, key: `${name}/${one.val}` })),
  );
  const rules = Map.groupBy(listedRules, ({ chain }) => chain);
  return {
    counters: new Map(rows.flatMap(({ counter }) => (counter ? [[counter.name, counter]] : []))),
    quotas: new Map(rows.flatMap(({ quota }) => (quota ? [[quota.name, quota]] : []))),
    sets: new Map(sets.map(({ name, elem }) => [name, elem.map(({ val }) => val).sort()])),
    expires: new Map(
      elements.flatMap(({ key, expires }) => (expires === undefined ? [] : [[key, expires]])),
    ),
    elementPackets: new Map(
      elements.flatMap(({ key, counter }) => (counter ? [[key, counter.packets]] : [])),
    ),
    rules: new Map(
      rules.entries().map(([chain, own]) => [chain, own.map(({ comment }) => comment ?? '')]),
    ),
    policies: new Map(
      rows.flatMap(({ chain }) => (chain?.hook ? [[chain.name, chain.policy ?? 'accept']] : [])),
    ),
    listing: hashListing(listed),
  };
}

/**
 * Sets and chains are listed in the order in which they were made, which means nothing, so they are
 * sorted. The order of rules counts.
 */
function hashListing(rows: readonly AnyRow[]): string {
  const seen = new Map<string, number>();
  const lines = rows.map((row) => {
    const chain = String(row.rule?.chain ?? '');
    seen.set(chain, (seen.get(chain) ?? 0) + 1);
    return `${JSON.stringify(withoutWhatPasses(row))} ${chain === '' ? '' : seen.get(chain)}`;
  });
  return hash('sha256', lines.sort().join('\n'));
}

/** Fields that time, packets or each loading change. */
const passing = ['metainfo', 'handle', 'packets', 'used', 'expires'];

function withoutWhatPasses(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWhatPasses);
  if (typeof value !== 'object' || value === null) return value;
  const isCount = 'packets' in value || 'used' in value;
  const isSet = 'table' in value;
  const lasting = Object.entries(value).filter(
    ([key]) =>
      !(passing.includes(key) || (isCount && key === 'bytes') || (isSet && key === 'elem')),
  );
  // nft 1.0.6 prints a table's flags as a text without meaning, which may differ each time.
  const isTable = !isSet && 'family' in value;
  return Object.fromEntries(
    lasting.map(([key, inner]) => [
      key,
      isTable && key === 'flags' ? 'some' : withoutWhatPasses(inner),
    ]),
  );
}
