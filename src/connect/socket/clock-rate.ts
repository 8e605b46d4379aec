/**
 * A header of the answer that opens a socket: how many of the platform's seconds pass in one. A
 * sandbox says it, so that a quarter of an hour passes in a minute.
 */
export const clockRateHeader = 'x-sandbox-clock-rate';

const mostHastened = 1000;

/**
 * How fast the clock of the platform behind this socket goes. Contracts age by it, so a wrong one
 * would have bytes reported too late or too often. Therefore it is believed only over `ws:`, which
 * the real network does not speak: over TLS the platform's clock is always taken for ours.
 */
export function readClockRate(url: string, header: string | string[] | undefined): number {
  const rate = typeof header === 'string' ? Number(header) : Number.NaN;
  const isSound = Number.isInteger(rate) && rate >= 1 && rate <= mostHastened;
  return isSound && url.startsWith('ws:') ? rate : 1;
}
