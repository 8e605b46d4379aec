import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AddressRange, mergeSorted, type Prefix, parsePrefix, renderRange, toRange } from '../lib/addresses.ts';
import { hasCode, messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';

/** Addresses that were read and merged, as text for nft: 64,000 of them are a megabyte, as numbers they would be five. */
export type AddressList = Readonly<ReturnType<typeof parseAddressList>>;

const reasons: Readonly<Record<string, string>> = {
  EACCES: "the agent's user may not read it",
  ENOENT: 'there is no such file',
};
const chunkLength = 2500;
const mostEntries = 200_000;
const mostBytes = 8 * 1024 ** 2;
const mostNamed = 3;

/** A file of addresses and prefixes, as public blocklists come. @throws list-refused, with each broken line (the first few) */
export async function readAddressList(path: string): Promise<AddressList> {
  const text = await readText(path).catch((error: unknown) => {
    if (systemCodeOf(error) === undefined && !hasCode(error, 'list-refused')) throw error;
    const why = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
    throw new TributaryError('list-refused', `${path}: ${why}`, { cause: error });
  });
  return parseAddressList(text, path);
}

/**
 * One address or prefix a line; what follows `#` or `;` is a comment. `place` is named in errors.
 * @throws list-refused; also for a list without any address, which a failed download leaves behind
 */
export function parseAddressList(text: string, place: string) {
  // Beginning and prefix length in one number each: a tenth of the memory that objects take.
  const keys4: number[] = [];
  const ranges6: AddressRange[] = [];
  const broken: string[] = [];
  for (const { entry, number } of readEntries(text)) {
    const prefix = parsePrefix(entry);
    if (prefix === undefined || prefix.length === 0) broken.push(`${place}:${number}: found ${quote(entry)}`);
    else if (prefix.family === 6) ranges6.push(toRange(prefix));
    else keys4.push(toKey(prefix));
  }
  const count = keys4.length + ranges6.length;
  if (broken.length > 0) throw new TributaryError('list-refused', describeBroken(broken));
  if (count === 0) throw new TributaryError('list-refused', `${place}: there is no address in it`);
  if (count > mostEntries) {
    throw new TributaryError('list-refused', `${place}: it has ${count} entries; allowed: at most ${mostEntries}`);
  }
  const sorted4 = Float64Array.from(keys4).sort().values().map(fromKey);
  const sorted6 = ranges6.sort((one, other) => Number(one.first - other.first));
  const elements = { 4: toChunks(mergeSorted(sorted4), 4), 6: toChunks(mergeSorted(sorted6), 6) };
  return {
    /** Of the elements: two lists with the same addresses have the same. */
    hash: hash('sha256', JSON.stringify(elements)).slice(0, 12),
    elements,
  };
}

function* readEntries(text: string): Generator<{ readonly entry: string; readonly number: number }> {
  let number = 0;
  // Every byte is one character, as comments may be in any encoding: so are those of a byte order mark.
  for (const [line] of text.replace(/^\u00ef\u00bb\u00bf/, '').matchAll(/[^\n]*\n|[^\n]+/g)) {
    number += 1;
    const entry = line.replace(/[#;].*/, '').trim();
    if (entry !== '') yield { entry, number };
  }
}

async function readText(path: string): Promise<string> {
  // A pipe without a writer would hold up who opens it.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const about = await file.stat();
  if (!about.isFile()) throw new TributaryError('list-refused', 'it is no regular file');
  if (about.size > mostBytes)
    throw new TributaryError('list-refused', `it is larger than ${mostBytes / 1024 ** 2} MiB`);
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

/** In the order of these keys a wide prefix comes before what lies in it. */
function toKey({ address, length }: Prefix): number {
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return (value - (value % 2 ** (32 - length))) * 64 + length;
}

function fromKey(key: number): AddressRange {
  const first = Math.floor(key / 64);
  return { first: BigInt(first), last: BigInt(first + 2 ** (32 - (key % 64)) - 1) };
}

/** `192.0.2.0/24, 198.51.100.7`: so many elements at a time as one nft transaction takes from an ordinary user. */
function toChunks(ranges: Iterable<AddressRange>, family: 4 | 6): readonly string[] {
  const chunks: string[] = [];
  let chunk: string[] = [];
  for (const range of ranges) {
    if (chunk.push(renderRange(range, family)) < chunkLength) continue;
    chunks.push(chunk.join(', '));
    chunk = [];
  }
  return chunk.length === 0 ? chunks : [...chunks, chunk.join(', ')];
}
