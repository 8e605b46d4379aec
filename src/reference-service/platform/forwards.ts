import type { Id } from '../../connect/wire/id.ts';

/**
 * Which clients may send to each other. A forward begins only where the two have a contract that
 * nobody has reported anything of; then it lives on, whatever becomes of its contracts, until it
 * was idle for a quarter of an hour or one of the two is another process.
 */
export interface Forwards {
  /** Whether this frame may pass; a frame that passes keeps the forward alive. */
  mayPass(pair: IdPair, between: Between): boolean;
  /** A contract was made: where there was none, it is asked again at once. */
  noteContract(pair: IdPair): void;
  count(): number;
}

/** From whom to whom. */
export interface IdPair {
  readonly sourceId: Id;
  readonly destinationId: Id;
}

/** The numbers of the residents at both ends. */
interface Between {
  readonly source: number;
  readonly destination: number;
}

export interface ForwardsOptions {
  /** By the platform's clock, in ms. */
  readonly now: () => number;
  /** Whether the two have an open contract that nobody has reported anything of. */
  readonly hasClean: (pair: IdPair) => boolean;
}

const longestIdle = 15 * 60_000;
/** So long an answer that there is no contract is believed. */
const refusalLasts = 5000;
/** Forwards of one client; more are refused. */
const mostOfClient = 8192;

interface Forward extends Between {
  isOpen: boolean;
  usedAt: number;
}

export function createForwards({ now, hasClean }: ForwardsOptions): Forwards {
  /** By source, then by destination. */
  const forwards = new Map<Id, Map<Id, Forward>>();

  function begin(pair: IdPair, between: Between): Forward {
    const forward = { ...between, isOpen: hasClean(pair), usedAt: now() };
    const own = forwards.get(pair.sourceId) ?? new Map<Id, Forward>();
    forwards.set(pair.sourceId, own);
    if (own.size < mostOfClient || own.has(pair.destinationId))
      own.set(pair.destinationId, forward);
    else forward.isOpen = false;
    return forward;
  }

  return {
    mayPass(pair, between) {
      const at = now();
      let forward = forwards.get(pair.sourceId)?.get(pair.destinationId);
      const isOver =
        forward === undefined ||
        forward.source !== between.source ||
        forward.destination !== between.destination ||
        at - forward.usedAt > (forward.isOpen ? longestIdle : refusalLasts);
      if (forward === undefined || isOver) forward = begin(pair, between);
      if (forward.isOpen) forward.usedAt = at;
      return forward.isOpen;
    },
    noteContract({ sourceId, destinationId }) {
      for (const [from, to] of [
        [sourceId, destinationId],
        [destinationId, sourceId],
      ] as const) {
        const own = forwards.get(from);
        if (own?.get(to)?.isOpen === false) own.delete(to);
      }
    },
    count: () => [...forwards.values()].reduce((sum, own) => sum + own.size, 0),
  };
}
