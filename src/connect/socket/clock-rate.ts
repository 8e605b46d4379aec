/**
 * A header of the answer that opens a socket: how many of the platform's seconds pass in one. A
 * sandbox says it, so that a quarter of an hour passes in a minute.
 */
export const clockRateHeader = 'x-sandbox-clock-rate';

/** More is not believed: a minute would be shorter than what a message needs. */
export const mostHastened = 1000;

/**
 * How fast the clock of the platform behind this socket goes. Contracts age by it, so a wrong one
 * would have bytes reported too late or too often. Therefore it is believed only over `ws:`, which
 * the real network does not speak: over TLS the platform's clock is always taken for ours.
 */
export function readClockRate(url: string, header: string | string[] | undefined): number {
  const rate = typeof header === 'string' ? Number(header) : Number.NaN;
  return mayHasten(url) && isRate(rate) ? rate : 1;
}

/**
 * A message of a sandbox whose clock goes at another rate from now on. The network knows none of
 * this length, and its programs drop such ones.
 */
export function makeClockRateMessage(rate: number): Buffer {
  const message = Buffer.alloc(messageLength);
  message.write(messageName);
  message.writeUInt32BE(rate, messageName.length);
  return message;
}

/** The rate of such a message; undefined for any other one, and where none is believed. */
export function readClockRateMessage(url: string, message: Buffer): number | undefined {
  if (message.length !== messageLength || !mayHasten(url)) return undefined;
  if (message.toString('latin1', 0, messageName.length) !== messageName) return undefined;
  const rate = message.readUInt32BE(messageName.length);
  return isRate(rate) ? rate : undefined;
}

const messageName = 'clock-rate';
const messageLength = messageName.length + 4;

function mayHasten(url: string): boolean {
  return url.startsWith('ws:');
}

function isRate(rate: number): boolean {
  return Number.isInteger(rate) && rate >= 1 && rate <= mostHastened;
}
