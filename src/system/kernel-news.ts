import type { Exec } from './exec.ts';
import { lostLine } from './nft-monitor.ts';

/**
 * A change of our own is reported within milliseconds, on a busy machine within a second or two
 * (ms).
 */
const heardSoonMs = 2_000;
/** A change of our own that was not reported by then (ms) never will be. */
const heardWithinMs = 5_000;

export interface NftNews {
  /** Takes a line; true where it ends a transaction, which is worth a look at `isChanged`. */
  takeLine(line: string): boolean;
  /** Runs programs, and counts the transactions that are this process's own. */
  readonly exec: Exec;
  /**
   * True where another program has changed the table since this was last asked; undefined while a
   * change of our own is under way.
   */
  isChanged(): boolean | undefined;
  /**
   * True while changes are reported; false before the first one, and after one of our own was not
   * reported.
   */
  isHearing(): boolean;
  /** True once where the monitor hangs: it has reported changes before, but not our own. */
  takeHang(): boolean;
}

/**
 * Tells this process's own changes of a table from other programs' changes, in what `nftMonitor`
 * prints. The kernel numbers the transactions of a namespace. Another program made every
 * transaction that touched `table` (`inet tributary`) or that the monitor missed, less our own. So
 * a restart of the monitor hides no change, and the permit's renewals are no news.
 */
export function createNftNews(exec: Exec, table: string): NftNews {
  const ofTable = new RegExp(`^\\w+ \\w+ ${table}(?: |$)`);
  const inTable = new RegExp(`\\b${table}(?:\\s|$)`);
  let number: number | undefined;
  /** Whether a line since the last transaction was about the table; undefined without any line. */
  let isTouched: boolean | undefined;
  let touching = 0;
  let underWay = 0;
  let begunAtMs = Number.NEGATIVE_INFINITY;
  /** When the first own transaction began of which no report has come yet; undefined: none. */
  let awaitedSinceMs: number | undefined;
  /** When each own transaction that was not reported yet was done, in ms. */
  let own: number[] = [];
  const isHearing = () =>
    number !== undefined &&
    (awaitedSinceMs === undefined || performance.now() - awaitedSinceMs < heardWithinMs);
  return {
    takeLine(line) {
      const next = /^# new generation (\d+)/.exec(line)?.[1];
      if (next === undefined) {
        isTouched = isTouched === true || ofTable.test(line) || line === lostLine;
        return false;
      }
      if (number === undefined) own = underWay > 0 ? [] : own.slice(-1);
      else touching += Math.max(0, Number(next) - number - 1);
      // A transaction whose lines were lost may have touched the table.
      if (isTouched !== false) touching += 1;
      isTouched = undefined;
      awaitedSinceMs = underWay > 0 ? begunAtMs : undefined;
      number = Number(next);
      return true;
    },
    async exec(command) {
      const { input = table } = command;
      const isOwn = command.program === 'nft' && command.args[0] === '-f' && inTable.test(input);
      if (!isOwn) return exec(command);
      underWay += 1;
      begunAtMs = performance.now();
      awaitedSinceMs ??= begunAtMs;
      try {
        const said = await exec(command);
        own.push(performance.now());
        // A quick monitor tells of a change before the program that made it answers.
        if (touching >= own.length) awaitedSinceMs = undefined;
        return said;
      } finally {
        underWay -= 1;
      }
    },
    isChanged() {
      if (underWay > 0) return undefined;
      const isForeign = touching > own.length;
      own = own.slice(touching).filter((atMs) => performance.now() - atMs < heardSoonMs);
      touching = 0;
      return isForeign;
    },
    isHearing,
    takeHang() {
      const isHung = number !== undefined && !isHearing();
      if (isHung) awaitedSinceMs = undefined;
      return isHung;
    },
  };
}

/**
 * Whether a line of `ip -o monitor` says anything new. A lifetime that began again is not new:
 * routers renew them all the time. Of neighbours nothing is: `isOtherRouter` looks at those.
 */
export function createIpNews(): (line: string) => boolean {
  const known = new Map<string, string>();
  return (line) => {
    if (line.startsWith('[NEIGH]')) return false;
    const isGone = line.includes('Deleted ');
    const text = line
      .replace('Deleted ', '')
      .replace(/ (?:expires|valid_lft|preferred_lft) \S+/g, '');
    const subject = toSubject(text);
    if (!isGone && known.get(subject) === text) return false;
    if (isGone) known.delete(subject);
    else known.set(subject, text);
    // No device at home has so many. Forgetting costs no more than asking once too often.
    if (known.size > 2_000) known.clear();
    return true;
  };
}

/** `ip` names every kind of route but the usual one. */
const routeStart =
  /^\[ROUTE\](?:(?:local|broadcast|anycast|multicast|throw|unreachable|prohibit|blackhole|nat) )?(\S+)/;

/**
 * What a line is about: a link, an address on a link, a route to somewhere in a table, or a rule. A
 * route is one by its destination, table and metric: all else of it may change, even its kind and
 * the number of its next hops, and what it was before is then no longer known.
 */
function toSubject(text: string): string {
  const onLink = /^\[(?:LINK|ADDR)\]\d+: \S+(?: +inet6? \S+)?/.exec(text)?.[0];
  if (onLink !== undefined || !text.startsWith('[ROUTE]')) return onLink ?? text;
  const destination = routeStart.exec(text)?.[1];
  const place = text.match(/ (?:tos|table|metric) \S+/g) ?? [];
  return `[ROUTE]${destination}${place.join('')}`;
}
