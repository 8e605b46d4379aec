/** How a link of a test treats messages. Times are in ms of virtual time. */
export interface LinkNature {
  /** Of each direction, from 0 to 1. */
  readonly loss: number;
  readonly duplication: number;
  /** The way of one direction takes from `delay` to `delay + jitter`; jitter reorders. */
  readonly delay: number;
  readonly jitter: number;
}

/** A link in virtual time: what is sent arrives later, twice, out of order, or never. */
export interface Link<T> {
  /** False where it is lost. */
  send(message: T, now: number): boolean;
  nextAt(): number;
  /** What has arrived by now, in order of arrival. */
  arrived(now: number): readonly T[];
}

/** Random numbers from 0 to 1 that are the same for the same seed. */
export type Chance = () => number;

export function createChance(seed: number): Chance {
  let state = (seed >>> 0) + 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createLink<T>(nature: LinkNature, chance: Chance): Link<T> {
  const onTheWay: { readonly at: number; readonly message: T }[] = [];
  const put = (message: T, now: number): void => {
    const at = now + nature.delay + Math.floor(chance() * (nature.jitter + 1));
    let place = onTheWay.length;
    while (place > 0 && (onTheWay[place - 1]?.at ?? 0) > at) place--;
    onTheWay.splice(place, 0, { at, message });
  };
  return {
    send(message, now) {
      if (chance() < nature.loss) return false;
      put(message, now);
      if (chance() < nature.duplication) put(message, now);
      return true;
    },
    nextAt: () => onTheWay[0]?.at ?? Number.POSITIVE_INFINITY,
    arrived(now) {
      let count = 0;
      while (count < onTheWay.length && (onTheWay[count]?.at ?? 0) <= now) count++;
      return onTheWay.splice(0, count).map(({ message }) => message);
    },
  };
}
