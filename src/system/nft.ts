import * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { SystemError } from './errors.ts';
import type { Exec, Talk } from './exec.ts';
import type { Listing } from './ip-list.ts';
import {
  hashListing,
  type ListedRow,
  toArray,
  toElement,
  toName,
  toNumber,
  toRows,
  UnknownForm,
} from './nft-listing.ts';

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
  const listing = listRows(exec, `-j list ${what}`, doing);
  const rows = await listing.catch((error: unknown) => {
    if (error instanceof SystemError && error.message.includes('No such file or directory'))
      return undefined;
    throw error;
  });
  return rows && understand(() => toNftTable(rows), doing);
}

/**
 * A table of the family inet without the elements of its sets; undefined if it is missing or has no
 * chain. The whole ruleset is asked for, because nft reads every element of a single table only to
 * leave them out. For a list of tables it would do so too, but not for one of chains.
 * @throws command-failed, missing-program
 */
export async function observeNftOutline(exec: Exec, name: string): Promise<NftTable | undefined> {
  const doing = `reading the outline of nft table ${name}`;
  const chains = await listRows(exec, '-j list chains inet', doing);
  if (!chains.some(({ chain }) => chain?.table === name)) return undefined;
  const rows = await listRows(exec, '--json --terse list ruleset', doing);
  const own = rows.filter((row) =>
    Object.values(row).some((about) => about.table === name && about.family === 'inet'),
  );
  return own.length === 0 ? undefined : understand(() => toNftTable(own), doing);
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
  const parsed = z.object({ nftables: z.array(row) }).safeParse(await ask(exec, words, doing));
  return parsed.success ? parsed.data.nftables : refuseForm(doing);
}

/** As `listNft`, for rows of any kind. */
async function listRows(exec: Exec, words: string, doing: string): Promise<readonly ListedRow[]> {
  const json = await ask(exec, words, doing);
  return understand(() => toRows(json), doing);
}

async function ask(exec: Exec, words: string, doing: string): Promise<unknown> {
  const [option, ...line] = words.split(' ');
  const talk: Talk = { to: 'nft', lines: [line.join(' ')] };
  const text = await exec({
    program: 'nft',
    args: words.split(' '),
    doing,
    ...(option === '-j' && { talk }),
  });
  return parseJson(text);
}

function understand<T>(read: () => T, doing: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnknownForm) return refuseForm(doing);
    throw error;
  }
}

function refuseForm(doing: string): never {
  throw new SystemError('command-failed', `${doing}: its JSON has another shape`);
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
  await listRows(exec, `-j reset quota inet ${table} ${name}`, doing);
}

/** @throws UnknownForm */
function toNftTable(rows: readonly ListedRow[]): NftTable {
  const listed = (kind: string): readonly ListedRow[string][] =>
    rows.flatMap(({ [kind]: own }) => (own === undefined ? [] : [own]));
  const sets = [
    ...listed('set').map(({ name, elem }) => toSet(name, toArray(elem ?? []))),
    ...listed('map').map(({ name, elem }) =>
      toSet(
        name,
        toArray(elem ?? []).map((pair) => toArray(pair)[0]),
      ),
    ),
  ];
  const elements = sets.flatMap(({ name, elements: own }) =>
    own.map((one) => ({ ...one, key: `${name}/${one.val}` })),
  );
  const rules = Map.groupBy(listed('rule'), ({ chain }) => toName(chain));
  return {
    counters: new Map(listed('counter').map((own) => [toName(own.name), toCount(own)])),
    quotas: new Map(
      listed('quota').map(({ name, bytes, used }) => [
        toName(name),
        { bytes: toNumber(bytes), used: toNumber(used) },
      ]),
    ),
    sets: new Map(sets.map(({ name, elements: own }) => [name, own.map(({ val }) => val).sort()])),
    expires: new Map(
      elements.flatMap(({ key, expires }) => (expires === undefined ? [] : [[key, expires]])),
    ),
    elementPackets: new Map(
      elements.flatMap(({ key, packets }) => (packets === undefined ? [] : [[key, packets]])),
    ),
    rules: new Map(
      rules
        .entries()
        .map(([chain, own]) => [chain, own.map(({ comment = '' }) => toName(comment))]),
    ),
    policies: new Map(
      listed('chain').flatMap(({ name, hook, policy = 'accept' }) =>
        hook === undefined ? [] : [[toName(name), toName(policy)]],
      ),
    ),
    listing: hashListing(rows),
  };
}

function toSet(name: unknown, listed: readonly unknown[]) {
  return { name: toName(name), elements: listed.map(toElement) };
}

function toCount({ packets, bytes }: ListedRow[string]) {
  return { packets: toNumber(packets), bytes: toNumber(bytes) };
}
