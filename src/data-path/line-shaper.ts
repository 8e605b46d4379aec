import { toFailure, toUndefined } from '../errors/codes.ts';
import {
  type DesiredLine,
  fitsQueues,
  type LinePlace,
  lineDevice,
  listLineQuestions,
  listLineRemovals,
  matchesLine,
  renderLine,
  renderRate,
} from '../gateway/line-tree.ts';
import { listFilterQuestions, renderEntranceRemoval } from '../gateway/segment-hook.ts';
import type { Exec } from '../system/exec.ts';
import type { Interface, Network } from '../system/ip.ts';
import { applyTc, askTc } from '../system/tc.ts';
import type { WantedLine } from './state.ts';

/** Where the line has to be held, and at which rate. */
export type LineWish = LinePlace &
  Pick<DesiredLine, 'overheadBytes'> &
  Pick<WantedLine, 'limitBits'>;

/**
 * Holds sharing to a rate on the owner's line: the owner's limit, and below it what the household
 * leaves. Calls may come at any time; they are done one after the other, in their order.
 */
export interface LineShaper {
  /**
   * Makes the tree as wished, and resolves with how the line is held. A kernel that refuses one way
   * is asked for the next one.
   */
  reconcile(next: LineWish, view: LineView): Promise<LineWay>;
  /**
   * Sets the rate that the household leaves, in bits per second each way, at once; undefined for no
   * limit. False where this kernel cannot shape traffic.
   */
  setRate(bits: number | undefined): Promise<boolean>;
  /**
   * Drops what waits in the queues, so that nothing more leaves. The next pass lets packets in
   * again.
   */
  flush(): Promise<void>;
  /** How packets reach the sources' devices now. */
  passage(): Passage;
  /**
   * Removes everything at a tear-down. `interfaces` are the existing ones.
   * @throws command-failed, missing-program
   */
  takeOut(place: LinePlace, interfaces: readonly Interface[]): Promise<void>;
}

interface Passage {
  /** True where they go through the tree first, and leave by the device a second time. */
  readonly isRedirecting: boolean;
  /** Another one each time that a tree is made or removed. */
  readonly turn: number;
}

/**
 * Ways that a kernel may support, the best first. With none of them, the firewall drops what is
 * above the limit.
 */
const ways = [
  { kind: 'one-tree', leaf: 'fq_codel' },
  { kind: 'one-tree', leaf: 'bfifo' },
  { kind: 'two-trees', leaf: 'fq_codel' },
  { kind: 'two-trees', leaf: 'bfifo' },
] as const;
/** How the line is held here; undefined where this kernel cannot shape traffic. */
export type LineWay = (typeof ways)[number] | undefined;
/** The way that is assumed until the kernel refuses it. */
export const [bestWay] = ways;
/** A way that was refused, for want of memory for example, is tried again after this time (ms). */
const againMs = 600_000;

/** With `isVouched`, nothing has changed since the last pass. */
type LineView = Pick<Network, 'interfaces'> & { readonly isVouched: boolean };

interface Made extends DesiredLine {
  /** The rate for which its plain queues were made. */
  readonly queuedFor: DesiredLine;
}

export function createLineShaper(exec: Exec): LineShaper {
  let way = 0;
  let givenUpAtMs = 0;
  let householdBits = Number.POSITIVE_INFINITY;
  let wish: LineWish | undefined;
  let made: Made | undefined;
  let rebuilt = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  const remove = async (place: LinePlace, kind: DesiredLine['kind']) => {
    made = undefined;
    rebuilt += 1;
    await refused(applyTc(exec, listLineRemovals(place, kind), 'forced'));
    if (kind === 'one-tree') await refused(runIp(exec, ['link', 'delete', lineDevice]));
  };
  const end = async () => {
    if (made !== undefined) await remove(made, made.kind);
  };
  const make = async (line: DesiredLine) => {
    await remove(line, line.kind);
    if (line.kind === 'one-tree') {
      await runIp(exec, ['link', 'add', lineDevice, 'type', 'ifb']);
      await runIp(exec, ['link', 'set', lineDevice, 'up']);
      // These may exist already, with filters of other programs.
      const entrances = [...line.devices, line.uplink].map(
        (device) => `qdisc add dev ${device} clsact`,
      );
      await refused(applyTc(exec, entrances, 'forced'));
    }
    await applyTc(exec, renderLine(line));
    rebuilt += 1;
    made = { ...line, queuedFor: line };
  };
  const changeRate = async ({ queuedFor, ...line }: Made, bitsPerSecond: number) => {
    const next = { ...line, bitsPerSecond };
    const isRefused = await refused(applyTc(exec, renderRate(next, queuedFor), 'talk'));
    made = isRefused
      ? undefined
      : { ...next, queuedFor: fitsQueues(next, queuedFor) ? queuedFor : next };
  };
  const isAsMade = async (line: DesiredLine) => {
    const said = await askTc(exec, listLineQuestions(line)).catch(toUndefined());
    return said !== undefined && matchesLine(said, line);
  };
  /** Makes the tree in the best way that this kernel accepts. */
  const build = async (place: LineWish, bitsPerSecond: number) => {
    if (ways[way] === undefined && performance.now() - givenUpAtMs > againMs) way = 0;
    for (let chosen = ways[way]; chosen !== undefined; chosen = ways[way]) {
      const line = { ...place, ...chosen, bitsPerSecond };
      if (!(await refused(make(line)))) return;
      await remove(line, line.kind);
      // If one of the devices is missing, that is why the kernel refused; the next pass finds all
      // of them.
      const devices = [...place.devices, place.uplink];
      const isMissing = devices.map((device) =>
        refused(runIp(exec, ['link', 'show', 'dev', device])),
      );
      if ((await Promise.all(isMissing)).includes(true)) return;
      way += 1;
      givenUpAtMs = performance.now();
    }
  };
  /**
   * Brings the tree to the wanted rate. With `mayTrust`, a tree that this shaper has set up is not
   * read again.
   */
  const bring = async (place: LineWish, { mayTrust }: { readonly mayTrust: boolean }) => {
    const bitsPerSecond = Math.min(place.limitBits ?? Number.POSITIVE_INFINITY, householdBits);
    if (bitsPerSecond === Number.POSITIVE_INFINITY) return end();
    if (made !== undefined && made.bitsPerSecond !== bitsPerSecond)
      await changeRate(made, bitsPerSecond);
    if (made === undefined || !(mayTrust || (await isAsMade(made))))
      await build(place, bitsPerSecond);
  };
  return {
    reconcile: (next, { interfaces, isVouched }) =>
      inTurn(async () => {
        if (wish?.devices.join() !== next.devices.join() || wish.uplink !== next.uplink) {
          way = 0;
          await end();
        }
        wish = next;
        const device = interfaces.find(({ name }) => name === lineDevice);
        // A former process may have left the tree behind.
        if (made === undefined && device !== undefined) await remove(next, 'one-tree');
        const isWhole = made?.kind !== 'one-tree' || device?.isUp === true;
        if (!isWhole) made = undefined;
        await bring(next, { mayTrust: isVouched });
        return ways[way];
      }),
    setRate: (bits) =>
      inTurn(async () => {
        householdBits = bits ?? Number.POSITIVE_INFINITY;
        if (wish !== undefined) await bring(wish, { mayTrust: true });
        return ways[way] !== undefined;
      }),
    flush: () =>
      inTurn(async () => {
        if (made?.kind === 'one-tree')
          await refused(runIp(exec, ['link', 'set', lineDevice, 'down']));
      }),
    passage: () => ({ isRedirecting: made?.kind === 'one-tree', turn: rebuilt }),
    takeOut: (place, interfaces) =>
      inTurn(async () => {
        if (made !== undefined || interfaces.some(({ name }) => name === lineDevice))
          await remove(place, made?.kind ?? 'one-tree');
        const others = await askTc(exec, listFilterQuestions(place.uplink)).catch(toUndefined());
        if (others?.trim() === '')
          await refused(applyTc(exec, [renderEntranceRemoval(place.uplink)]));
      }),
  };
}

/** True where the program refused, or is missing. */
async function refused(work: Promise<unknown>): Promise<boolean> {
  const failure = await work.then(() => undefined, toFailure('command-failed', 'missing-program'));
  return failure !== undefined;
}

async function runIp(exec: Exec, args: readonly string[]): Promise<void> {
  await exec({ program: 'ip', args, doing: 'making the device that holds the line' });
}
