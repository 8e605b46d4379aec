import type { Exec } from './exec.ts';

/**
 * A change of our own is heard of within milliseconds, on a busy machine within a second or two.
 */
const heardSoonMs = 2_000;
/** Later than that, it never will be. */
const heardWithinMs = 5_000;

/**
 * What `nft monitor` says, told apart into this process's own changes of a table and everybody
 * else's. The kernel numbers the transactions of a namespace. Those that touched `table` (`inet
 * tributary`), and those that were not heard of, less our own, are a stranger's: so a restart of
 * the monitor hides none, and the permit's renewals are no news.
 */
export function createNftNews(exec: Exec, table: string) {
  const ofTable = new RegExp(`^\\w+ \\w+ ${table}(?: |$)`);
  const inTable = new RegExp(`\\b${table}(?:\\s|$)`);
  let number: number | undefined;
  /** Of the lines since the last transaction; undefined: there were none. */
  let isTouched: boolean | undefined;
  let touching = 0;
  let underWay = 0;
  let heardAtMs = Number.NEGATIVE_INFINITY;
  let begunAtMs = Number.NEGATIVE_INFINITY;
  /** When each that was not heard of yet was through. */
  let own: number[] = [];
  /**
   * True while changes are heard; false before the first, and where one of our own was not heard
   * of.
   */
  const isHearing = () =>
    number !== undefined &&
    (heardAtMs >= begunAtMs || performance.now() - begunAtMs < heardWithinMs);
  return {
    /** Takes a line; true where it ends a transaction, which is worth a look at `isChanged`. */
    takeLine(line: string) {
      const next = /^# new generation (\d+)/.exec(line)?.[1];
      if (next === undefined) {
        isTouched = isTouched === true || ofTable.test(line);
        return false;
      }
      if (number === undefined) own = underWay > 0 ? [] : own.slice(-1);
      else touching += Math.max(0, Number(next) - number - 1);
      // Of a set that was declared again it no longer prints the elements (nft 1.0.6).
      if (isTouched !== false) touching += 1;
      isTouched = undefined;
      heardAtMs = performance.now();
      number = Number(next);
      return true;
    },
    /** Counts the transactions that are this process's own. */
    exec: (async (command) => {
      const { input = table } = command;
      const isOwn = command.program === 'nft' && command.args[0] === '-f' && inTable.test(input);
      if (!isOwn) return exec(command);
      underWay += 1;
      begunAtMs = performance.now();
      try {
        const said = await exec(command);
        own.push(performance.now());
        return said;
      } finally {
        underWay -= 1;
      }
    }) satisfies Exec,
    /**
     * True where another program has changed the table since this was last asked; undefined while a
     * change of our own is under way.
     */
    isChanged() {
      if (underWay > 0) return undefined;
      const isForeign = touching > own.length;
      own = own.slice(touching).filter((atMs) => performance.now() - atMs < heardSoonMs);
      touching = 0;
      return isForeign;
    },
    isHearing,
    /** True, once, where the monitor hangs: it has told before, and not of what we did since. */
    takeHang() {
      const isHung = number !== undefined && !isHearing();
      if (isHung) heardAtMs = performance.now();
      return isHung;
    },
  };
}
