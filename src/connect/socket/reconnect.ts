/** How long to wait before the next dial, in ms. */
export interface Reconnect {
  /** A socket was closed after it had been open for so long; undefined where it never opened. */
  closed(openForMs: number | undefined): void;
  delay(): number;
  /**
   * Sockets open and are closed at once: the token may be refused, which the platform never says.
   */
  isTokenSuspect(): boolean;
}

/**
 * A socket that did its work is followed by another within a second: consumers leave a provider
 * that acknowledges nothing for five.
 */
const soon = 1000;
/** The next tries come within five seconds, each at a time of its own: no herd after an outage. */
const firstSpread = 5000;
const firstTries = 3;
const longest = 60_000;
/**
 * A socket that lived so long did its work, and makes the next failure a first one. The platform
 * counts a connection that lived shorter than half a minute as none, so it costs nothing.
 */
const settledAfter = 10_000;
/** The platform closes a socket with a bad token a ms after it opened. */
const suspectWithin = 2000;
const suspectAfter = 3;

export function createReconnect(random: () => number): Reconnect {
  let tries = 0;
  let shortLives = 0;
  return {
    closed(openForMs) {
      if (openForMs !== undefined && openForMs >= settledAfter) tries = 0;
      else tries++;
      if (openForMs === undefined) return;
      shortLives = openForMs < suspectWithin ? shortLives + 1 : 0;
    },
    delay() {
      if (tries === 0) return random() * soon;
      if (tries <= firstTries) return random() * firstSpread;
      const steady = Math.min(longest, firstSpread * 2 ** (tries - firstTries));
      return steady * (0.5 + random());
    },
    isTokenSuspect: () => shortLives >= suspectAfter,
  };
}
