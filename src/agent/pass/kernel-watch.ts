import { ownTable } from '../../data-path/observe.ts';
import { tableName } from '../../gateway/policy.ts';
import { sleep } from '../../lib/sleep.ts';
import { createWakeup, type Wakeup } from '../../lib/wakeup.ts';
import type { Exec } from '../../system/exec.ts';
import { type Network, observeNetwork } from '../../system/ip.ts';
import type { KeepProgram, Kept } from '../../system/kept-program.ts';
import { createIpNews, createNftNews } from '../../system/kernel-news.ts';
import { nftMonitor, usedUpLine } from '../../system/nft-monitor.ts';
import { isOtherRouter, type Router } from '../../system/routers.ts';
import type { Loop } from '../run-loop.ts';

export interface KernelWatchParts {
  readonly exec: Exec;
  /** undefined where nothing reports changes; the data path then only looks by its clock. */
  readonly keepProgram: KeepProgram | undefined;
  /** Woken when another program has changed something. */
  readonly wakeup: Pick<Wakeup, 'notify'>;
}

/**
 * Wakes the data path as soon as another program changes firewall, links, addresses, routes or
 * rules, another router answers at the same address, or what a pass left of the cap is used up:
 * until the next pass nothing more goes through, though the cap may not be reached yet. It runs
 * monitors for this. All changes by the agent itself have to go through `exec`, or they count as
 * another program's.
 */
export interface KernelWatch extends Loop {
  /**
   * Starts the monitors, once. Call it when the start is over, because its passes follow each other
   * quickly and need no reports. Without a call, `tick` starts them after 10 s.
   */
  begin(): void;
  /** Runs programs, and recognizes the agent's own changes of the firewall. */
  readonly exec: Exec;
  /**
   * The network's state. It is not read again while the monitors have reported no change since the
   * last reading, at most for five minutes.
   * @throws command-failed, missing-program
   */
  observeNetwork(): Promise<Network>;
  /** Runs the monitors until the signal aborts, and resolves then. */
  tick(signal: AbortSignal): Promise<number>;
  /**
   * True where the table that was read at `readAtMs` (`performance.now()`) can only have changed by
   * counting, because a working monitor has reported nothing else. False for undefined, which means
   * that it was not read.
   */
  vouchesFor(readAtMs: number | undefined): boolean;
  /**
   * True where another program has changed the agent's table since the last call, or may have,
   * because a monitor hung. Each change is reported to one call only.
   */
  takeFenceChange(): boolean;
}

const neverMs = 2 ** 31 - 1;
/** Changes seldom come alone, so this time (ms) is waited for more. */
const settleMs = 50;
/** The time (ms) between two passes while changes keep coming. */
const floodMs = 1_000;
/** After this time (ms) without a change, the next one is looked at as quickly as the first. */
const calmMs = 5_000;
/**
 * The monitors are started after this time (ms) at the latest, even if the first pass is not done.
 */
const longestStartMs = 10_000;
/**
 * A network monitor that reports nothing may have been stopped, so it is believed for this time
 * (ms) only.
 */
const trustMs = 300_000;
/**
 * The counts of rules are read at least this often (ms), also while next to nothing passes. That
 * other programs left the rules alone is known otherwise: a monitor of nft that was stopped reports
 * not even the next renewal of the permit.
 */
const countsMs = 300_000;
/** The time (ms) that a monitor needs after its start before it reports changes. */
const hearingMs = 2_000;
/** Programs that change links, addresses, routes or rules. */
const makers: readonly string[] = ['ip', 'wireguard-go'];
/**
 * Where nft's own monitor listens, it grows with everything that it has printed, so what listens is
 * restarted after this much.
 */
const recycleAfterCharacters = 262_144;

const ownUsedUp = `${usedUpLine} ${tableName}`;

export function createKernelWatch({ exec, keepProgram, wakeup }: KernelWatchParts): KernelWatch {
  const nft = createNftNews(exec, ownTable);
  const isIpNews = createIpNews();
  let isFenceChanged = false;
  let isNetworkChanged = false;
  let isUsedUp = false;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = settleMs;
  let wokenAtMs = Number.NEGATIVE_INFINITY;

  const begun = createWakeup();
  let firewall: Kept | undefined;
  let toldCharacters = 0;

  let seen: { readonly network: Network; readonly news: number; readonly atMs: number } | undefined;
  let news = 0;
  let routers: readonly Router[] = [];
  let hearsFromMs = Number.POSITIVE_INFINITY;

  const look = () => {
    timer = undefined;
    const isChanged = nft.isChanged();
    if (isChanged === undefined) return lookSoon();
    isFenceChanged ||= isChanged;
    if (!isChanged && !isNetworkChanged && !isUsedUp) return;
    isNetworkChanged = false;
    isUsedUp = false;
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
    if (line === ownUsedUp) {
      isUsedUp = true;
      return lookSoon();
    }
    if (!nft.takeLine(line)) return;
    lookSoon();
    if (toldCharacters > recycleAfterCharacters) restartFirewall();
  };
  const noteReturn = () => {
    hearsFromMs = performance.now() + hearingMs;
    noteNetwork();
  };
  const restartFirewall = () => {
    toldCharacters = 0;
    firewall?.restart();
  };

  return {
    begin: begun.notify,
    exec: (command) => {
      // The agent itself changes the network here, so it is read again even if the monitor is late.
      if (makers.includes(command.program) && command.args[0] !== '-j') seen = undefined;
      return nft.exec(command);
    },
    async observeNetwork() {
      const atMs = performance.now();
      const isTrusted =
        seen !== undefined && seen.atMs >= hearsFromMs && atMs - seen.atMs < trustMs;
      if (seen === undefined || !isTrusted || seen.news !== news) {
        seen = { atMs, news, network: await observeNetwork(nft.exec) };
        routers = seen.network.routers ?? [];
      }
      return seen.network;
    },
    name: 'kernel watch',
    async tick(signal) {
      if (keepProgram === undefined) return neverMs;
      await begun.wait(longestStartMs, signal);
      const onReturn = noteReturn;
      firewall = keepProgram({ ...nftMonitor, onLine: takeNftLine, onReturn }, signal);
      const ipMonitor = keepProgram(
        {
          program: 'ip',
          args: ['-o', 'monitor', 'label', 'link', 'address', 'route', 'rule', 'neigh'],
          onLine: (line) => (isIpNews(line) || isOtherRouter(line, routers)) && noteNetwork(),
          onReturn,
        },
        signal,
      );
      // Changes that were made before the monitors reported are found by looking once, and by
      // loading the rules once under running traffic.
      if (await sleep(hearingMs, signal)) {
        isFenceChanged = true;
        hearsFromMs = performance.now();
        noteNetwork();
      }
      await Promise.all([firewall.ended, ipMonitor.ended]);
      clearTimeout(timer);
      return neverMs;
    },
    vouchesFor: (readAtMs = Number.NEGATIVE_INFINITY) =>
      nft.isHearing() && performance.now() - readAtMs < countsMs,
    takeFenceChange() {
      const isHung = nft.takeHang();
      if (isHung) restartFirewall();
      const isChanged = isFenceChanged || isHung;
      isFenceChanged = false;
      return isChanged;
    },
  };
}
