import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { SystemError } from './errors.ts';
import { lengthOf, mergePrefixes, toChunks } from './ipv4-prefixes.ts';
import { mergeIpv6Prefixes, type PackedIpv6Prefix, toIpv6Text } from './ipv6-prefixes.ts';
import { describeExcess, type MostCovered } from './list-extent.ts';
import { describeBroken, readEntries } from './list-lines.ts';

/**
 * Addresses that were read and merged, as text for nft. 64,000 addresses take a megabyte as text
 * and five as numbers.
 */
export interface AddressList {
  /** A hash of the elements: two lists with equal addresses have equal hashes. */
  readonly hash: string;
  /** None of them is empty. */
  readonly sets: readonly AddressSet[];
  /** The first few of the lines that were left out, in words; undefined if none was. */
  readonly skipped: string | undefined;
}

/** Some of a list's elements, which the kernel keeps together. */
export interface AddressSet {
  readonly family: 4 | 6;
  /**
   * The one length that all its elements have as prefixes. They are written without it then, and
   * the kernel finds them by a hash: it takes them in a third of the time, and a packet is looked
   * up sooner. undefined where there are prefixes of any length.
   */
  readonly length: number | undefined;
  /** How many elements there are. */
  readonly size: number;
  /**
   * `192.0.2.0/24, 198.51.100.7`, as many in one text as one nft transaction takes from an ordinary
   * user.
   */
  readonly chunks: readonly string[];
}

/** What makes a list good enough. */
export interface ListRules {
  /**
   * What is done about a line that is no address: the whole list is refused, or the line is left
   * out. A list with more such lines than others is refused in any case: it is no list.
   */
  readonly unsound: 'refuse' | 'skip';
  readonly mostEntries: number;
  readonly mostCovered: MostCovered;
}

/** What the owner denies is a promise, so a broken line must not go unseen. */
export const deniedListRules: ListRules = {
  unsound: 'refuse',
  mostEntries: 200_000,
  mostCovered: 'not-all',
};
/** Who writes prefixes into the configuration means what they cover together. */
export const namedListRules: ListRules = { ...deniedListRules, mostCovered: 'anything' };
/**
 * Lists of bad addresses are made by others every day; one broken line must not cost the rest, and
 * a list that would shut out nearly everyone must not take the place of a good one.
 */
export const badListRules: ListRules = {
  unsound: 'skip',
  mostEntries: 100_000,
  mostCovered: 'at-most-half',
};

const reasons: Readonly<Record<string, string>> = {
  EACCES: "the agent's user may not read it",
  ENOENT: 'there is no such file',
};
/**
 * How many elements one transaction takes: each of these comes to three quarters of what the socket
 * of an ordinary user's network takes. An interval has two ends, and an IPv6 address is longer.
 */
const chunkLengths = { address: 10_000, 4: 4_000, 6: 2_500 } as const;
/** Prefixes of one length have a set of their own from so many on, the commonest lengths alone. */
const ownSetFrom = 1000;
const mostOwnSets = 8;
const mostBytes = 8 * 1024 ** 2;

/**
 * Reads a file of addresses and prefixes in the form of public blocklists. What else waits has its
 * turn meanwhile: a long list of IPv6 takes seconds.
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
  const making = makeList(text, path, rules);
  let step = making.next();
  while (step.done !== true) {
    await setImmediate();
    step = making.next();
  }
  return step.value;
}

/**
 * Reads one address or prefix a line; what follows `#` or `;` is a comment. `place` is named in
 * errors.
 * @throws list-refused, also for a list without any address, which a failed download leaves behind
 */
export function parseAddressList(
  text: string,
  place: string,
  rules: ListRules = deniedListRules,
): AddressList {
  const making = makeList(text, place, rules);
  let step = making.next();
  while (step.done !== true) step = making.next();
  return step.value;
}

/** In steps, between which others may have their turn. */
function* makeList(
  text: string,
  place: string,
  { unsound, mostEntries, mostCovered }: ListRules,
): Generator<undefined, AddressList> {
  const { ipv4, ipv6, broken, count } = yield* readEntries(text, place, mostEntries);
  if (broken.count > (unsound === 'skip' ? count : 0))
    throw new SystemError('list-refused', describeBroken(broken));
  if (count === 0) throw new SystemError('list-refused', `${place}: there is no address in it`);
  const size = `it has ${count} entries; allowed: at most ${mostEntries}`;
  if (count > mostEntries) throw new SystemError('list-refused', `${place}: ${size}`);
  const merged = { ipv4: mergePrefixes(ipv4), ipv6: mergeIpv6Prefixes(ipv6) };
  const excess = describeExcess(merged, mostCovered);
  if (excess !== undefined)
    throw new SystemError('list-refused', `${place}: together its lines cover ${excess}`);
  yield;
  const sets = [...toIpv4Sets(merged.ipv4), ...(yield* toIpv6Sets(merged.ipv6))];
  return {
    hash: hash('sha256', JSON.stringify(sets)).slice(0, 12),
    sets,
    skipped: broken.count === 0 ? undefined : describeBroken(broken),
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

/** The lengths that many prefixes have, each in a set, and all other prefixes in another. */
function toIpv4Sets(prefixes: Float64Array): readonly AddressSet[] {
  const counts = new Uint32Array(33);
  for (let index = 0; index < prefixes.length; index += 1) {
    const length = lengthOf(prefixes[index] ?? 0);
    counts[length] = (counts[length] ?? 0) + 1;
  }
  const own = [...counts.entries()]
    .filter(([length, size]) => length > 0 && size >= ownSetFrom)
    .sort(([, one], [, other]) => other - one)
    .slice(0, mostOwnSets)
    .map(([length]) => length);
  const isOther = (prefix: number) => !own.includes(lengthOf(prefix));
  const toSet = (ofIt: Float64Array, length?: number): AddressSet => ({
    family: 4,
    length,
    size: ofIt.length,
    chunks: toChunks(ofIt, {
      most: chunkLengths[length === undefined ? 4 : 'address'],
      hasLength: length === undefined,
    }),
  });
  const others = own.length === 0 ? prefixes : prefixes.filter(isOther);
  return [
    ...own.map((length) =>
      toSet(
        prefixes.filter((prefix) => lengthOf(prefix) === length),
        length,
      ),
    ),
    ...(others.length === 0 ? [] : [toSet(others)]),
  ];
}

function* toIpv6Sets(
  prefixes: readonly PackedIpv6Prefix[],
): Generator<undefined, readonly AddressSet[]> {
  if (prefixes.length === 0) return [];
  const chunks: string[] = [];
  for (let start = 0; start < prefixes.length; start += chunkLengths[6]) {
    const piece = prefixes.slice(start, start + chunkLengths[6]);
    chunks.push(piece.map(toIpv6Text).join(', '));
    yield;
  }
  return [{ family: 6, length: undefined, size: prefixes.length, chunks }];
}
