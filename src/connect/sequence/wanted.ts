import type { UnackedPack } from './unacked.ts';

/** The Pack that a peer asks for again, with its whole contract. */
export interface Wanted {
  ask(pack: UnackedPack, now: number): void;
  isThere(): boolean;
  /** Once. */
  take(): UnackedPack | undefined;
}

/**
 * A peer asks when it has lost what it knew, once. What it gets is not paid a second time, and is
 * forty times as long as the question: so one Pack of a sequence is sent for it in so many ms.
 */
const shortestBetween = 100;

export function createWanted(): Wanted {
  let wanted: UnackedPack | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    ask(pack, now) {
      if (now - askedAt < shortestBetween) return;
      askedAt = now;
      pack.hasContract = true;
      wanted = pack;
    },
    isThere: () => wanted !== undefined,
    take() {
      const taken = wanted;
      wanted = undefined;
      return taken;
    },
  };
}
