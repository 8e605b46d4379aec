import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { mergeCidr } from 'cidr-tools';
import { parsePrefix } from '../lib/addresses.ts';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { SystemError } from './errors.ts';

/**
 * Addresses that were read and merged, as text for nft. 64,000 addresses take a megabyte as text
 * and five as numbers.
 */
export interface AddressList {
  /** A hash of the elements: two lists with equal addresses have equal hashes. */
  readonly hash: string;
  /**
   * By family: `192.0.2.0/24, 198.51.100.7`, as many in one text as one nft transaction takes from
   * an ordinary user.
   */
  readonly elements: Readonly<Record<4 | 6, readonly string[]>>;
  /** The first few of the lines that were left out, in words; undefined if none was. */
  readonly skipped: string | undefined;
}

/** What makes a list good enough. */
export interface ListRules {
  /**
   * What is done about a line that is no address: the whole list is refused, or the line is left
   * out. A list with more such lines than others is refused in any case: it is no list.
   */
  readonly unsound: 'refuse' | 'skip';
  readonly mostEntries: number;
}

/** What the owner denies is a promise, so a broken line must not go unseen. */
export const deniedListRules: ListRules = { unsound: 'refuse', mostEntries: 200_000 };
/** Lists of bad addresses are made by others every day; one broken line must not cost the rest. */
export const badListRules: ListRules = { unsound: 'skip', mostEntries: 100_000 };

const reasons: Readonly<Record<string, string>> = {
  EACCES: "the agent's user may not read it",
  ENOENT: 'there is no such file',
};
const chunkLength = 2500;
const mostBytes = 8 * 1024 ** 2;
const mostNamed = 3;

/**
 * Reads a file of addresses and prefixes in the form of public blocklists.
 * @throws list-refused, with the first few broken lines
 */
export async function readAddressList(
  path: string,
  rules: ListRules = deniedListRules,
): Promise<AddressList> {
  const text = await readText(path).catch((error: unknown) => {
    const why = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
    throw new SystemError('list-refused', `${path}: ${why}`, { cause: error });
  });
  return parseAddressList(text, path, rules);
}

/**
 * Reads one address or prefix a line; what follows `#` or `;` is a comment. `place` is named in
 * errors.
 * @throws list-refused, also for a list without any address, which a failed download leaves behind
 */
export function parseAddressList(
  text: string,
  place: string,
  { unsound, mostEntries }: ListRules = deniedListRules,
): AddressList {
  const prefixes: Readonly<Record<4 | 6, string[]>> = { 4: [], 6: [] };
  const broken: string[] = [];
  let number = 0;
  // Comments may be in any encoding, so every byte is read as one character. A byte order mark is
  // three of them.
  for (const [line] of text.replace(/^\u00ef\u00bb\u00bf/, '').matchAll(/[^\n]*\n|[^\n]+/g)) {
    number += 1;
    const entry = line.replace(/[#;].*/, '').trim();
    if (entry === '') continue;
    const prefix = parsePrefix(entry);
    if (prefix === undefined || prefix.length === 0)
      broken.push(`${place}:${number}: found ${quote(entry)}`);
    else prefixes[prefix.family].push(entry);
  }
  const count = prefixes[4].length + prefixes[6].length;
  if (broken.length > (unsound === 'skip' ? count : 0))
    throw new SystemError('list-refused', describeBroken(broken));
  if (count === 0) throw new SystemError('list-refused', `${place}: there is no address in it`);
  if (count > mostEntries) {
    throw new SystemError(
      'list-refused',
      `${place}: it has ${count} entries; allowed: at most ${mostEntries}`,
    );
  }
  const elements = { 4: toChunks(prefixes[4], /\/32$/), 6: toChunks(prefixes[6], /\/128$/) };
  return {
    hash: hash('sha256', JSON.stringify(elements)).slice(0, 12),
    elements,
    skipped: broken.length === 0 ? undefined : describeBroken(broken),
  };
}

async function readText(path: string): Promise<string> {
  // Without O_NONBLOCK, opening a pipe without a writer would wait forever.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const about = await file.stat();
  if (!about.isFile()) throw new Error('it is no regular file');
  if (about.size > mostBytes) throw new Error(`it is larger than ${mostBytes / 1024 ** 2} MiB`);
  return file.readFile('latin1');
}

function describeBroken(broken: readonly string[]): string {
  const more = broken.length > mostNamed ? `; and ${broken.length - mostNamed} more` : '';
  return `${broken.slice(0, mostNamed).join('; ')}${more}; allowed: an address or a prefix of /1 or longer on each line`;
}

function quote(entry: string): string {
  const shown = entry.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');
  return JSON.stringify(entry.length > 60 ? `${shown}…` : shown);
}

/**
 * Elements as nft takes them, `192.0.2.0/24, 198.51.100.7`; each text has as many as one nft
 * transaction accepts from an ordinary user.
 */
function toChunks(prefixes: string[], ofOne: RegExp): readonly string[] {
  const merged = mergeCidr(prefixes).map((prefix) => prefix.replace(ofOne, ''));
  const count = Math.ceil(merged.length / chunkLength);
  return Array.from({ length: count }, (_, index) =>
    merged.slice(index * chunkLength, (index + 1) * chunkLength).join(', '),
  );
}
