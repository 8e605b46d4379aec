/** When one socket is pinged, and when it is given up. Times are in ms of our own clock. */
export interface Pings {
  heard(message: Buffer, now: number): void;
  step(now: number): 'ping' | 'end' | undefined;
}

/** Nothing at all for so long ends the socket. */
const longestSilence = 30_000;
/** The client's cadence is the platform's, within bounds. */
const shortestGap = 1000;
const usualGap = 5000;
const remembered = 4;

export function createPings(openedAt: number): Pings {
  const gaps: number[] = [];
  let heardAt = openedAt;
  let lastPingAt: number | undefined;
  let pingAt = openedAt + usualGap;

  /** The shortest of the client's last four gaps. */
  const gap = (): number => Math.max(shortestGap, Math.min(...gaps, usualGap));

  return {
    heard(message, now) {
      heardAt = now;
      if (message.length > 0) return;
      if (lastPingAt !== undefined) gaps.push(now - lastPingAt);
      if (gaps.length > remembered) gaps.shift();
      lastPingAt = now;
    },
    step(now) {
      if (now - heardAt >= longestSilence) return 'end';
      if (now < pingAt) return undefined;
      pingAt = now + gap();
      return 'ping';
    },
  };
}
