import { countPackBytes, type Pack } from '../wire/pack.ts';

/**
 * Memory for Packs that came before their turn, shared by all sequences of the process: one peer,
 * or ten thousand of them, cannot have more than all of it.
 */
export interface MemoryBudget {
  /** False where too little is left; then nothing is taken. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  used(): number;
  left(): number;
}

export function createMemoryBudget(most: number): MemoryBudget {
  let used = 0;
  return {
    take(bytes) {
      if (used + bytes > most) return false;
      used += bytes;
      return true;
    },
    give(bytes) {
      used -= bytes;
    },
    used: () => used,
    left: () => most - used,
  };
}

/**
 * One peer's part of it: no more than a quarter of what is left for all others, so a fifth of it
 * where nobody else takes any. Thirty that take all they can leave a thousandth, which is enough
 * for one more to be served.
 */
export function createShare(budget: MemoryBudget): MemoryBudget {
  let used = 0;
  return {
    take(bytes) {
      if (used + bytes > budget.left() / 4 || !budget.take(bytes)) return false;
      used += bytes;
      return true;
    },
    give(bytes) {
      used -= bytes;
      budget.give(bytes);
    },
    used: () => used,
    left: () => Math.max(0, budget.left() / 4 - used),
  };
}

/** Packs of one sequence that wait for those before them, by number. */
export interface HeldPacks {
  /** False where there is no room, also not by giving up higher numbers. */
  hold(pack: Pack, now: number): boolean;
  has(number: number): boolean;
  take(number: number): Pack | undefined;
  /** Gives up what is below: its turn has passed. */
  dropBelow(number: number): void;
  clear(): void;
  isEmpty(): boolean;
  /** When the one that waits longest came. */
  oldestAt(): number | undefined;
}

/**
 * Senders have up to 2 MiB on their way, and all of it is held while the first Pack of it is
 * missing. What is given up after it was acknowledged selectively is not sent again for a minute.
 */
const mostHeldBytes = 2.5 * 1024 * 1024;
/** What a Pack of one frame costs beside its bytes, so that empty ones are not free. */
const packCost = 256;
/** And each further frame of it: the object, and the view of its bytes. */
const furtherFrameCost = 192;

export function createHeldPacks(budget: MemoryBudget): HeldPacks {
  const held = new Map<
    number,
    { readonly pack: Pack; readonly cost: number; readonly at: number }
  >();
  /**
   * Their numbers, the lowest first. Ten thousand empty ones have room, so to look through all of
   * them would cost a hundred times what it takes to send one more.
   */
  const numbers: number[] = [];
  let bytes = 0;

  const remove = (number: number): void => {
    const one = held.get(number);
    if (one === undefined) return;
    held.delete(number);
    numbers.splice(findPlace(numbers, number), 1);
    bytes -= one.cost;
    budget.give(one.cost);
  };
  const makeRoom = (cost: number, below: number): boolean => {
    while (bytes + cost > mostHeldBytes) {
      const highest = numbers.at(-1);
      if (highest === undefined || highest <= below) return false;
      remove(highest);
    }
    return budget.take(cost);
  };

  return {
    hold(pack, now) {
      const number = pack.sequenceNumber;
      const cost = countHeldBytes(pack);
      remove(number);
      if (!makeRoom(cost, number)) return false;
      held.set(number, { pack: copyPack(pack), cost, at: now });
      numbers.splice(findPlace(numbers, number), 0, number);
      bytes += cost;
      return true;
    },
    has: (number) => held.has(number),
    take(number) {
      const pack = held.get(number)?.pack;
      remove(number);
      return pack;
    },
    dropBelow(number) {
      for (const one of numbers.slice(0, findPlace(numbers, number))) remove(one);
    },
    clear() {
      for (const { cost } of held.values()) budget.give(cost);
      held.clear();
      [numbers.length, bytes] = [0, 0];
    },
    isEmpty: () => held.size === 0,
    oldestAt() {
      const [oldest] = held.values();
      return oldest?.at;
    },
  };
}

/** Where a number is among these, or would be. */
function findPlace(numbers: readonly number[], number: number): number {
  // Nearly always it is the next one.
  if (number > (numbers.at(-1) ?? -1)) return numbers.length;
  let [from, to] = [0, numbers.length - 1];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] as number) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}

function countHeldBytes({ frames, contract }: Pack): number {
  const beside = packCost + Math.max(0, frames.length - 1) * furtherFrameCost;
  return countPackBytes(frames) + (contract?.length ?? 0) + beside;
}

/**
 * A Pack is a view of a message, and a message of a whole chunk of the socket: a copy keeps no more
 * than was counted. All of it is one piece, as a piece for each frame would take twice as much.
 */
function copyPack(pack: Pack): Pack {
  const { frames, contract } = pack;
  const own = Buffer.allocUnsafeSlow(countPackBytes(frames) + (contract?.length ?? 0));
  let end = 0;
  const copy = (bytes: Buffer): Buffer => {
    const start = end;
    end += bytes.copy(own, start);
    return own.subarray(start, end);
  };
  return {
    ...pack,
    frames: frames.map((frame) => ({ ...frame, bytes: copy(frame.bytes) })),
    contract: contract === undefined ? undefined : copy(contract),
  };
}
