import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress } from '../../../src/connect/packet/rewrite.ts';
import type { App } from './app.ts';
import type { ControlFate } from './bookkeeping.ts';
import { watchCollections } from './collections.ts';
import { createChance } from './link.ts';
import { makePacket } from './packets.ts';
import { createStrictWorld } from './strict-world.ts';

/** What a provider's long life came to. */
export interface LongLife {
  readonly consumers: number;
  /** Consumers that asked while all was well, and how many of them got every answer. */
  readonly asked: number;
  readonly answered: number;
  /** Contracts that ended, and contracts of which more was told than they carried or were for. */
  readonly contracts: number;
  readonly overcounted: number;
  readonly carriedBytes: number;
  readonly toldBytes: number;
  /** Ids that the engine made, and how many of the ids are not above the one before. */
  readonly ids: { readonly made: number; readonly repeated: number };
  /** What the engine holds at the end of each day. */
  readonly days: readonly Day[];
}

interface LongLifeOptions {
  readonly days: number;
  readonly perDay: number;
  readonly dayMs: number;
  readonly onDay?: (day: Day) => void;
}

export interface Day {
  readonly consumers: number;
  readonly booksBytes: number;
  readonly heapBytes: number;
  /** Entries of all maps and sets of `src/connect`, by the file that makes them. */
  readonly held: Readonly<Record<string, number>>;
}

const hour = 3_600_000;
/** When a consumer sends, in ms since it came; it leaves after that. */
const sendsAt = [0, 20_000, 70_000];
const leavesAfter = 75_000;
const answersEach = 3;

interface Visit {
  readonly app: App;
  readonly cameAt: number;
  /** The next of `sendsAt`. */
  next: number;
  answers: number;
}

/**
 * So many consumers a day come for a minute, each with an identity, lanes and contracts of its own.
 * A day may be shorter than ours, where the time in which nobody comes tells nothing.
 * Of the requests over HTTP, one in a hundred is lost and one in a hundred stays without an answer;
 * for a while each day, all of them do. The device's clock jumps to and fro.
 */
export async function liveLong(of: LongLifeOptions): Promise<LongLife> {
  using collections = watchCollections();
  const day = of.dayMs;
  const chance = createChance(5);
  const isBad = (now: number): boolean => now % day >= 0.8 * day && now % day < 0.85 * day;
  const fate = (now: number): ControlFate => {
    const drawn = isBad(now) ? chance() / 50 : chance();
    if (drawn < 0.01) return 'lost';
    return drawn < 0.02 ? 'unanswered' : 'done';
  };
  const world = createStrictWorld({
    nature: { loss: 0, duplication: 0, delay: 20, jitter: 0 },
    seed: 6,
    fate,
    clockOff: (now) => (Math.floor((3 * now) / day) % 3) * hour - hour,
    onDevice(packet, now) {
      const header = readIpHeader(packet);
      if (header === undefined) throw new Error('the device was given no sound packet');
      const answer = Buffer.from(answerPacket);
      readAddress(packet, header, 'source').copy(answer, 16);
      world.engine.packet(answer, now);
    },
  });
  const visits = new Set<Visit>();
  const days: Day[] = [];
  const sum = { consumers: 0, asked: 0, answered: 0, contracts: 0, overcounted: 0 };
  const bytes = { carriedBytes: 0, toldBytes: 0 };
  let comesAt = 0;

  const come = (now: number): void => {
    comesAt = now + (-Math.log(1 - chance()) * day) / of.perDay;
    sum.consumers++;
    const visit: Visit = {
      app: world.addApp({
        isDirect: sum.consumers % 2 === 0,
        onPacket() {
          visit.answers++;
        },
      }),
      cameAt: now,
      next: 0,
      answers: 0,
    };
    visits.add(visit);
  };
  const leave = (visit: Visit, now: number): void => {
    world.leave(visit.app);
    visits.delete(visit);
    // A request that was lost is waited for by half a minute, and made again.
    if (isBad(now) || isBad(visit.cameAt)) return;
    sum.asked++;
    if (visit.answers === sendsAt.length * answersEach) sum.answered++;
  };
  const goOn = (visit: Visit, now: number): void => {
    const sendAt = sendsAt[visit.next];
    if (sendAt !== undefined && now >= visit.cameAt + sendAt) {
      visit.next++;
      for (let count = 0; count < answersEach; count++)
        visit.app.send(requestPacket, now + startMs);
    }
    if (now >= visit.cameAt + leavesAfter) leave(visit, now);
  };
  const wakeAt = ({ cameAt, next }: Visit): number => cameAt + (sendsAt[next] ?? leavesAfter);
  // Nothing is lost on this line: what a consumer had sent without an ack when it left has come,
  // and was carried as what it had one for. So the bound is exact, and no allowance.
  const settle = (before: number): void => {
    for (const { byteCount, told, carried, underWay } of world.service.forget(before)) {
      sum.contracts++;
      if (told > carried + underWay || told > byteCount) sum.overcounted++;
      bytes.carriedBytes += carried;
      bytes.toldBytes += told;
    }
  };

  for (let number = 1; number <= of.days; number++) {
    world.run(day, (now) => {
      if (now >= comesAt) come(now);
      for (const visit of visits) goOn(visit, now);
      return Math.min(comesAt, ...[...visits].map(wakeAt));
    });
    settle(world.now() + startMs - 2 * hour);
    // What is watched lives until the work at hand is over.
    await nextTurn();
    const today: Day = {
      consumers: world.engine.counters().consumers,
      booksBytes: JSON.stringify(world.engine.save()).length,
      heapBytes: readHeap(),
      held: collections.count(),
    };
    days.push(today);
    of.onDay?.(today);
  }
  settle(Number.POSITIVE_INFINITY);
  return { ...sum, ...bytes, ids: world.idCounts(), days };
}

/**
 * An address that was given back is kept for its consumer, who may come again: their number is
 * bounded, by a test of its own. At a thousand consumers a day this adds 80 KiB a day for 16 days.
 */
const boundedElsewhere = ['packet/address-range.ts'];

/**
 * Where more is held at the end than in the first two days, after which nothing is remembered of
 * those who left: at least one entry for each third consumer.
 */
export function findGrowth(days: readonly Day[], perDay: number): readonly string[] {
  const [first, second] = days;
  const last = days.at(-1)?.held ?? {};
  const most = (days.length - 2) * (perDay / 3);
  return Object.keys(last).filter((file) => {
    const before = Math.max(first?.held[file] ?? 0, second?.held[file] ?? 0);
    return !boundedElsewhere.includes(file) && (last[file] ?? 0) > before + most;
  });
}

const startMs = 1_700_000_000_000;
const requestPacket = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(40) });
const answerPacket = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(400) });

/** In bytes, after what is of no use any more was thrown away. */
function readHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
