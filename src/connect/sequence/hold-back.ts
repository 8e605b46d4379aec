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
  let bytes = 0;

  const remove = (number: number): void => {
    const one = held.get(number);
    if (one === undefined) return;
    held.delete(number);
    bytes -= one.cost;
    budget.give(one.cost);
  };
  const makeRoom = (cost: number, below: number): boolean => {
    while (bytes + cost > mostHeldBytes) {
      const highest = Math.max(...held.keys());
      if (highest <= below) return false;
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
      for (const one of [...held.keys()]) if (one < number) remove(one);
    },
    clear() {
      for (const one of [...held.keys()]) remove(one);
    },
    isEmpty: () => held.size === 0,
    oldestAt() {
      const [oldest] = held.values();
      return oldest?.at;
    },
  };
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
