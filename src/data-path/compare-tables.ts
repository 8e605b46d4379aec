import { toUndefined } from '../errors/codes.ts';
import { judgedSets } from '../gateway/judged.ts';
import type { Exec } from '../system/exec.ts';
import { ownTable } from './observe.ts';

interface Compared {
  readonly firewall: string;
  /**
   * True where names, sets and cap are equal, which is all that can be compared where the listing
   * cannot.
   */
  readonly isKnown: boolean;
  readonly isThere: boolean;
  /**
   * The chain at the tunnel's entrance needs this interface, so the namespace of the comparison
   * gets one too.
   */
  readonly devices: readonly string[];
}

/**
 * The lines that differ: `-` for what the kernel has, `+` for what it would get, both as nft lists
 * them. The new text is loaded into a network namespace that exists only for the comparison.
 */
export async function compareTables(
  exec: Exec,
  { firewall, isKnown, isThere, devices }: Compared,
): Promise<readonly string[]> {
  if (!isThere) return ['+ the whole table'];
  const listed = exec({
    program: 'nft',
    args: listWords.split(' '),
    doing: 'listing the firewall',
  });
  const [have, want] = await Promise.all([listed, loadAside(exec, firewall, devices)]);
  if (want === undefined) return isKnown ? [] : ['+ the table: its rules, sets or cap are others'];
  const [haveLines, wantLines] = [toPlacedLines(have), toPlacedLines(want)];
  const lines = [
    ...without(haveLines, wantLines).map((line) => `- ${line}`),
    ...without(wantLines, haveLines).map((line) => `+ ${line}`),
  ];
  const isSame = haveLines.join('\n') === wantLines.join('\n') || lines.length > 0;
  return isSame || isKnown ? lines : ['+ the table: its rules are in another order'];
}

const listWords = `-s list table ${ownTable}`;

/**
 * undefined where this user cannot make a network namespace, or the text needs an interface that is
 * missing there.
 */
async function loadAside(
  exec: Exec,
  firewall: string,
  devices: readonly string[],
): Promise<string | undefined> {
  const script = `i=0; for device; do ip link add "$device" type veth peer name aside$((i += 1)); done; nft -f - && exec nft ${listWords}`;
  const args = ['--user', '--map-root-user', '--net', 'sh', '-c', script, 'sh', ...devices];
  return exec({
    program: 'unshare',
    args,
    input: firewall,
    doing: 'loading the firewall aside',
  }).catch(toUndefined());
}

/**
 * Each line with the chain or set that contains it, without counts and without elements that come
 * and go. Chains, sets and counters come by their names, since one that is made again comes last in
 * the kernel's listing; within each, the order counts.
 */
function toPlacedLines(listing: string): readonly string[] {
  let place = '';
  let isPassing = false;
  const lines = listing.split('\n').flatMap((line) => {
    const text = line.trim();
    if (text.endsWith(' {')) [place, isPassing] = [text.slice(0, -2), false];
    const isOfLoading = judgedSets.includes(place) && text.startsWith('elements');
    const isCounted = /^(?:packets|over) \d/.test(text) || isPassing || isOfLoading;
    isPassing ||= /^flags .*(?:dynamic|timeout)/.test(text);
    return text === '' || text === '}' || isCounted ? [] : [{ place, text }];
  });
  return lines
    .toSorted((one, other) => (one.place < other.place ? -1 : Number(one.place > other.place)))
    .map((line) => `${line.place}: ${line.text}`);
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}
