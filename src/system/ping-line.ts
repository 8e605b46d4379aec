import { isIP } from 'node:net';

/** What a line of ping's output tells. It is the text of a stranger: only its form is believed. */
export type PingSaid =
  /** The machine that was asked, or another one, answered. */
  | { readonly kind: 'answer'; readonly from: string; readonly delayMs: number }
  /** A router on the way let the packet end, because it had crossed as many routers as it might. */
  | { readonly kind: 'expired'; readonly from: string };

/** No line that tells something is longer. */
const mostCharacters = 200;
// A second answer to the same packet ends with `(DUP!)`, and one that was changed on the way with
// more text: neither says how long the way took.
const answered =
  /^\d{1,5} bytes from ([\da-f.:]{2,45})(?:%[\w.-]+)?: (?:icmp_)?seq=\d+ ttl=\d+ time=(\d{1,9}(?:\.\d{1,6})?) ms$/i;
const expired =
  /^From ([\da-f.:]{2,45})(?:%[\w.-]+)? icmp_seq=\d+ (?:Time to live exceeded|Time exceeded: Hop limit)$/i;

/**
 * Pure. Reads a line of the ping of iputils or of busybox, in the C locale; undefined for every
 * other line.
 */
export function readPingLine(line: string): PingSaid | undefined {
  if (line.length > mostCharacters) return undefined;
  const [, from = '', delay] = answered.exec(line) ?? expired.exec(line) ?? [];
  if (isIP(from) === 0) return undefined;
  return delay === undefined
    ? { kind: 'expired', from }
    : { kind: 'answer', from, delayMs: Number(delay) };
}
