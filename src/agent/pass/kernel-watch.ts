import { ownTable } from '../../data-path/observe.ts';
import { sleep } from '../../lib/sleep.ts';
import { createWakeup, type Wakeup } from '../../lib/wakeup.ts';
import type { Exec } from '../../system/exec.ts';
import { type Network, observeNetwork } from '../../system/ip.ts';
import { createIpNews } from '../../system/ip-news.ts';
import type { Kept } from '../../system/kept-program.ts';
import { createNftNews } from '../../system/nft-news.ts';
import type { AgentParts } from '../create-agent.ts';

/** Without `keepProgram` nothing is told, and the data path looks by its clock alone. */
export interface KernelWatchParts extends Pick<AgentParts, 'exec' | 'keepProgram'> {
  readonly wakeup: Pick<Wakeup, 'notify'>;
}

/**
 * Tells the data path at once when another program changes firewall, links, addresses, routes or
 * rules.
 */
export type KernelWatch = ReturnType<typeof createKernelWatch>;

const neverMs = 2 ** 31 - 1;
/** A change seldom comes alone. */
const settleMs = 50;
/** Under a flood of changes, the time from one pass to the next. */
const floodMs = 1_000;
/** After so long without any, the next one is looked at as quickly as the first. */
const calmMs = 5_000;
/** They are started by then, whatever the agent waits for. */
const longestStartMs = 10_000;
/** The longest that a monitor of the network is believed which says nothing: it may be stopped. */
const trustMs = 300_000;
/**
 * What rules count is read at least so often; a monitor of nft that is stopped tells nothing of the
 * renewals.
 */
const countsMs = 60_000;
/** By then a monitor that was started hears. */
const hearingMs = 2_000;
/** Programs that change links, addresses, routes or rules. */
const makers: readonly string[] = ['ip', 'wireguard-go'];
/** The monitor of nft grows with all that it has told. */
const recycleAfterCharacters = 262_144;

export function createKernelWatch({ exec, keepProgram, wakeup }: KernelWatchParts) {
  const nft = createNftNews(exec, ownTable);
  const isIpNews = createIpNews();
  let isFenceChanged = false;
  let isNetworkChanged = false;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = settleMs;
  let wokenAtMs = Number.NEGATIVE_INFINITY;

  const begun = createWakeup();
  let nftMonitor: Kept | undefined;
  let toldCharacters = 0;

  let seen: { readonly network: Network; readonly news: number; readonly atMs: number } | undefined;
  let news = 0;
  let hearsFromMs = Number.POSITIVE_INFINITY;

  const look = () => {
    timer = undefined;
    const isChanged = nft.isChanged();
    if (isChanged === undefined) return lookSoon();
    isFenceChanged ||= isChanged;
    if (!isChanged && !isNetworkChanged) return;
    isNetworkChanged = false;
    waitMs = isCalm() ? settleMs * 2 : Math.min(waitMs * 2, floodMs);
    wokenAtMs = performance.now();
    wakeup.notify();
  };
  const isCalm = () => performance.now() - wokenAtMs > calmMs;
  const lookSoon = () => {
    timer ??= setTimeout(look, isCalm() ? settleMs : waitMs);
  };
  const noteNetwork = () => {
    news += 1;
    isNetworkChanged = true;
    lookSoon();
  };
  const takeNftLine = (line: string) => {
    toldCharacters += line.length;
    if (!nft.takeLine(line)) return;
    lookSoon();
    if (toldCharacters > recycleAfterCharacters) restartNft();
  };
  const noteReturn = () => {
    hearsFromMs = performance.now() + hearingMs;
    noteNetwork();
  };
  const restartNft = () => {
    toldCharacters = 0;
    nftMonitor?.restart();
  };

  return {
    /**
     * Starts the monitors: until now they would have taken from the start, whose passes come soon
     * one after the other.
     */
    begin: begun.notify,
    /** Runs programs, and knows which changes of the firewall are the agent's own. */
    exec: ((command) => {
      // Read again, also where the monitor is slow to tell of it.
      if (makers.includes(command.program) && command.args[0] !== '-j') seen = undefined;
      return nft.exec(command);
    }) satisfies Exec,
    /**
     * The network's state. It is not read again while the monitors have reported no change since
     * the last reading. @throws command-failed, missing-program
     */
    async observeNetwork() {
      const atMs = performance.now();
      const isTrusted =
        seen !== undefined && seen.atMs >= hearsFromMs && atMs - seen.atMs < trustMs;
      if (seen === undefined || !isTrusted || seen.news !== news) {
        seen = { atMs, news, network: await observeNetwork(nft.exec) };
      }
      return seen.network;
    },
    /** Resolves at the signal's abort, with the time until it is run again (ms). */
    async run(signal: AbortSignal) {
      if (keepProgram === undefined) return neverMs;
      await begun.wait(longestStartMs, signal);
      const keep = (command: string, onLine: (line: string) => void) => {
        const [program = '', ...args] = command.split(' ');
        return keepProgram({ program, args, onLine, onReturn: noteReturn }, signal);
      };
      nftMonitor = keep('nft monitor', takeNftLine);
      const ipMonitor = keep(
        'ip -o monitor label link address route rule',
        (line) => isIpNews(line) && noteNetwork(),
      );
      // What was changed before they heard, by one look and one loading under traffic that goes on.
      if (await sleep(hearingMs, signal)) {
        isFenceChanged = true;
        hearsFromMs = performance.now();
        noteNetwork();
      }
      await Promise.all([nftMonitor.ended, ipMonitor.ended]);
      clearTimeout(timer);
      return neverMs;
    },
    /**
     * True where the agent's table, read then (ms), can only have counted since: told of nothing
     * else by a monitor that hears.
     */
    vouchesFor: (readAtMs = Number.NEGATIVE_INFINITY) =>
      nft.isHearing() && performance.now() - readAtMs < countsMs,
    /**
     * True where another program has changed the agent's table since this was last asked, or may
     * have: a monitor hung.
     */
    takeFenceChange() {
      const isHung = nft.takeHang();
      if (isHung) restartNft();
      const isChanged = isFenceChanged || isHung;
      isFenceChanged = false;
      return isChanged;
    },
  };
}
