import { parsePrefix } from '../lib/addresses.ts';
import { packPrefix } from './ipv4-prefixes.ts';
import { type PackedIpv6Prefix, packIpv6Prefix } from './ipv6-prefixes.ts';

const mostNamed = 3;
/** Read without a rest: some milliseconds, also without the JavaScript engine's compilers. */
const linesAtOnce = 1_000;

/** A line, and what is in it if that is an address or a prefix of IPv4 in its usual form. */
const part = String.raw`(0|[1-9]\d{0,2})`;
const eachLine = new RegExp(
  String.raw`[^\S\n]*${part}\.${part}\.${part}\.${part}(?:/([1-9]\d?))?[^\S\n]*(?:[#;][^\n]*)?(?:\n|$)|[^\n]*\n|[^\n]+`,
  'y',
);
/** Of a line with an IPv4 address in it, with its end. */
const shortestLine = 8;

/** The entries of a list, not yet merged. */
interface Entries {
  readonly ipv4: Float64Array;
  /** No more of them are kept than a list may have: a list with more is refused. */
  readonly ipv6: PackedIpv6Prefix[];
  readonly broken: Broken;
  /** How many there are of both families. */
  readonly count: number;
}

/** Lines that are no address. The first few are named: a file may have millions of them. */
interface Broken {
  count: number;
  readonly named: string[];
  /** False where there may be more of them, because reading stopped. */
  isAll: boolean;
}

/**
 * Reads line by line, and rests after each few. More broken lines than a list may have entries are
 * more than it can have others, so it is refused and the rest of it is not read.
 */
export function* readEntries(
  text: string,
  place: string,
  mostEntries: number,
): Generator<undefined, Entries> {
  // Comments may be in any encoding, so every byte is read as one character. A byte order mark is
  // three of them.
  const whole = text.replace(/^\u00ef\u00bb\u00bf/, '');
  const ipv4 = new Float64Array(Math.ceil(whole.length / shortestLine) + 1);
  const ipv6: PackedIpv6Prefix[] = [];
  const broken: Broken = { count: 0, named: [], isAll: true };
  let ipv4Count = 0;
  let ipv6Count = 0;
  /** A line that is no usual IPv4 address. */
  const readOther = (line: string, number: number) => {
    const entry = line.replace(/[#;].*/, '').trim();
    if (entry === '') return;
    const prefix = parsePrefix(entry);
    if (prefix === undefined || prefix.length === 0)
      noteBroken(broken, () => `${place}:${number}: found ${quote(entry)}`);
    else if (prefix.family === 4)
      ipv4[ipv4Count++] = packPrefix(prefix.address.split('.'), prefix.length) ?? 0;
    else if (ipv6Count++ < mostEntries) ipv6.push(packIpv6Prefix(prefix));
  };
  const lines = new RegExp(eachLine);
  for (let number = 1; broken.isAll && lines.lastIndex < whole.length; number += 1) {
    if (number % linesAtOnce === 0) yield;
    const match = lines.exec(whole) ?? [''];
    const packed = match[4] && packPrefix(match.slice(1, 5), Number(match[5] ?? 32));
    if (typeof packed === 'number') ipv4[ipv4Count++] = packed;
    else readOther(match[0], number);
    broken.isAll = broken.count <= mostEntries;
  }
  return { ipv4: ipv4.subarray(0, ipv4Count), ipv6, broken, count: ipv4Count + ipv6Count };
}

function noteBroken(broken: Broken, name: () => string): void {
  broken.count += 1;
  if (broken.count <= mostNamed) broken.named.push(name());
}

export function describeBroken({ count, named, isAll }: Broken): string {
  const others = `${isAll ? '' : 'at least '}${count - mostNamed}`;
  const more = count > mostNamed ? `; and ${others} more` : '';
  return `${named.join('; ')}${more}; allowed: an address or a prefix of /1 or longer on each line`;
}

function quote(entry: string): string {
  const shown = entry.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');
  return JSON.stringify(entry.length > 60 ? `${shown}…` : shown);
}
