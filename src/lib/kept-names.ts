import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Names, namePatienceMs, systemNames } from './connect-in-turn.ts';
import { systemCodeOf } from './errors.ts';
import { hourMs } from './units.ts';

/** Addresses by their name, the best one first. */
export type KnownAddresses = Readonly<Record<string, readonly string[]>>;

export interface KeptNamesOptions {
  /** The addresses that were good in an earlier life. */
  readonly before: KnownAddresses;
  /** Called where what an earlier life should know has changed; that is seldom. */
  readonly keep: (known: KnownAddresses) => void;
  /** By default the system's own. */
  readonly names?: Pick<Names, 'lookUp'>;
}

/** An answer is waited for so long (ms) where there are addresses that were good. */
const lateAfterMs = 2_000;
/**
 * So long (ms) after the first denial, of a name that is no longer there or of machines that are
 * no longer the right ones, its addresses are forgotten. Less than that is an outage or a portal.
 */
const doubtedForMs = hourMs;
/** Large services change their addresses all the time, and each write wears out a card. */
const keepEveryMs = hourMs;
const mostNames = 16;
const mostAddresses = 8;

/**
 * The names' present addresses, and those that were good before where name servers fail, or take
 * long: a device that starts while they are down goes on. What they answer late is used by the next
 * lookup.
 */
export function createKeptNames({
  before,
  keep,
  names = systemNames,
}: KeptNamesOptions): Required<Names> {
  const good = new Map(Object.entries(before));
  let kept = before;
  let keptAtMs = Number.NEGATIVE_INFINITY;
  const answers = new Map<string, readonly string[]>();
  const asking = new Map<string, { answer: Promise<readonly string[]>; sinceMs: number }>();
  const doubtedSinceMs = new Map<string, number>();
  /** Names whose last lookup gave what was good before. */
  const stoodIn = new Set<string>();
  /** Names of which an answer has led to the right machine in this life. */
  const confirmed = new Set<string>();

  const keepAll = () => {
    kept = Object.fromEntries([...good].slice(-mostNames));
    keptAtMs = performance.now();
    keep(kept);
  };
  const forget = (host: string) => {
    answers.delete(host);
    if (good.delete(host)) keepAll();
  };
  const doubt = (host: string) => {
    const sinceMs = doubtedSinceMs.get(host) ?? performance.now();
    doubtedSinceMs.set(host, sinceMs);
    if (performance.now() - sinceMs >= doubtedForMs) forget(host);
  };
  const ask = (host: string) => {
    const before = asking.get(host);
    // One that is older never ends.
    if (before && performance.now() - before.sinceMs < namePatienceMs) return before.answer;
    const answer = names
      .lookUp(host)
      .then(
        (found) => {
          answers.set(host, found);
          doubtedSinceMs.delete(host);
          return found;
        },
        (error: unknown) => {
          // No such name: the only answer that says that the addresses are wrong.
          if (systemCodeOf(error) === 'ENOTFOUND') doubt(host);
          throw error;
        },
      )
      .finally(() => {
        if (asking.get(host) === asked) asking.delete(host);
      });
    const asked = { answer, sinceMs: performance.now() };
    asking.set(host, asked);
    return answer;
  };
  const standIn = (host: string) => answers.get(host) ?? good.get(host);
  return {
    async lookUp(host) {
      if (isIP(host) !== 0) return [host];
      const asked = ask(host);
      if (standIn(host) === undefined) return asked;
      const waited = new AbortController();
      const options = { ref: false, signal: waited.signal };
      const late = sleep(lateAfterMs, undefined, options).catch(() => undefined);
      const found = await Promise.race([asked, late])
        .catch((error: unknown) => {
          if (standIn(host) === undefined) throw error;
          return undefined;
        })
        .finally(() => waited.abort());
      if (found === undefined) stoodIn.add(host);
      else stoodIn.delete(host);
      return found ?? standIn(host) ?? asked;
    },
    alsoGood: (host) => (confirmed.has(host) ? [] : (good.get(host) ?? [])),
    noteGood(host, address) {
      if (isIP(host) !== 0) return;
      if (answers.get(host)?.includes(address)) confirmed.add(host);
      doubtedSinceMs.delete(host);
      const others = (standIn(host) ?? []).filter((other) => other !== address);
      const addresses = [address, ...others].slice(0, mostAddresses);
      good.delete(host);
      good.set(host, addresses);
      const isKept = kept[host]?.some((other) => addresses.includes(other));
      const isTime = kept[host] === undefined || performance.now() - keptAtMs >= keepEveryMs;
      if (isKept !== true && isTime) keepAll();
    },
    noteRefused(host) {
      if (stoodIn.has(host)) doubt(host);
    },
  };
}
