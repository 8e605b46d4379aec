import type { Id } from '../../connect/wire/id.ts';

/**
 * Which clients may send to each other. A forward begins only where the two have a contract that
 * nobody has reported anything of; then it lives on, whatever becomes of its contracts, until it
 * was idle for a quarter of an hour. Another process, or another host, at either end is another
 * forward.
 */
export interface Forwards {
  /** Whether this frame may pass; a frame that passes keeps the forward alive. */
  mayPass(pair: IdPair, between: Between): boolean;
  /** A contract was made: where there was none, it is asked again at once. */
  noteContract(pair: IdPair): void;
  /** Forgets what was idle for too long. */
  sweep(): void;
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
/** Forwards of one client; what would be one more is dropped. */
const mostOfClient = 8192;

interface Forward {
  readonly destinationId: Id;
  isOpen: boolean;
  usedAt: number;
}

export function createForwards({ now, hasClean }: ForwardsOptions): Forwards {
  /** By source, then by both residents. */
  const forwards = new Map<Id, Map<string, Forward>>();

  const isOver = ({ isOpen, usedAt }: Forward, at: number): boolean =>
    at - usedAt > (isOpen ? longestIdle : refusalLasts);

  function begin(pair: IdPair, key: string): Forward {
    const own = forwards.get(pair.sourceId) ?? new Map<string, Forward>();
    forwards.set(pair.sourceId, own);
    const hasRoom = own.size < mostOfClient || own.has(key);
    const isOpen = hasRoom && hasClean(pair);
    const forward = { destinationId: pair.destinationId, isOpen, usedAt: now() };
    if (hasRoom) own.set(key, forward);
    return forward;
  }

  return {
    mayPass(pair, { source, destination }) {
      const at = now();
      const key = `${source} ${destination}`;
      const known = forwards.get(pair.sourceId)?.get(key);
      const forward = known === undefined || isOver(known, at) ? begin(pair, key) : known;
      if (forward.isOpen) forward.usedAt = at;
      return forward.isOpen;
    },
    noteContract({ sourceId, destinationId }) {
      for (const [from, to] of [
        [sourceId, destinationId],
        [destinationId, sourceId],
      ] as const) {
        const own = forwards.get(from) ?? new Map<string, Forward>();
        for (const [key, forward] of own)
          if (forward.destinationId === to && !forward.isOpen) own.delete(key);
      }
    },
    sweep() {
      const at = now();
      for (const [sourceId, own] of forwards) {
        for (const [key, forward] of own) if (isOver(forward, at)) own.delete(key);
        if (own.size === 0) forwards.delete(sourceId);
      }
    },
  };
}
