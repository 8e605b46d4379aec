import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress } from '../../../src/connect/packet/rewrite.ts';
import { createRoundTrip } from '../../../src/connect/sequence/round-trip.ts';
import { address, makePacket } from './packets.ts';

/**
 * A download as TCP does it: slow start, half the window at a loss, a hole sent again after three
 * acks of the same, everything again after a silence. Numbers stand for bytes, and travel in UDP.
 */
export interface TcpSender {
  /** An ack of everything below this number. */
  acked(next: number, now: number): void;
  /** Segments to send now. */
  step(now: number): readonly number[];
}

export interface TcpReceiver {
  take(segment: number, now: number): void;
  /** The ack to send now, if there is one. */
  ack(now: number): number | undefined;
  next(): number;
  longestSilence(): number;
  doneAt(): number | undefined;
}

const firstWindow = 10;
const firstTimeout = 1000;
const shortestTimeout = 200;
const delayedAck = 40;

export function createTcpSender(count: number): TcpSender {
  let [window, threshold] = [firstWindow, Number.POSITIVE_INFINITY];
  let [lowest, next, repeats] = [0, 0, 0];
  let recoversUpTo = -1;
  let timeout = firstTimeout;
  let timeoutAt = Number.POSITIVE_INFINITY;
  let again: number[] = [];
  const roundTrip = createRoundTrip();
  /** When each segment was sent that was sent once. */
  const sentAt = new Map<number, number>();

  const sample = (upTo: number, now: number): void => {
    const at = sentAt.get(upTo - 1);
    if (at !== undefined) roundTrip.sample(now - at);
    for (let number = lowest; number < upTo; number++) sentAt.delete(number);
    const mean = roundTrip.mean();
    timeout =
      mean === undefined
        ? firstTimeout
        : Math.max(shortestTimeout, mean + 4 * roundTrip.deviation());
  };

  return {
    acked(upTo, now) {
      if (upTo > lowest) {
        window += window < threshold ? upTo - lowest : (upTo - lowest) / window;
        // A hole behind the one that was filled: it is sent at once.
        if (upTo <= recoversUpTo && upTo < count) again.push(upTo);
        sample(upTo, now);
        [lowest, repeats] = [upTo, 0];
        next = Math.max(next, lowest);
        timeoutAt = lowest === count ? Number.POSITIVE_INFINITY : now + timeout;
        return;
      }
      repeats++;
      if (repeats !== 3 || lowest <= recoversUpTo) return;
      recoversUpTo = next;
      threshold = Math.max(2, window / 2);
      window = threshold;
      again.push(lowest);
    },
    step(now) {
      if (now >= timeoutAt) {
        threshold = Math.max(2, window / 2);
        [window, next, again] = [1, lowest, []];
        timeout *= 2;
        timeoutAt = now + timeout;
        sentAt.clear();
      }
      const segments = again;
      for (const number of again) sentAt.delete(number);
      again = [];
      for (; next < count && next - lowest < window; next++) {
        segments.push(next);
        sentAt.set(next, now);
      }
      if (segments.length > 0) timeoutAt = Math.min(timeoutAt, now + timeout);
      return segments;
    },
  };
}

export function createTcpReceiver(count: number, startAt: number): TcpReceiver {
  const early = new Set<number>();
  let next = 0;
  let unsaid = 0;
  let ackAt = Number.POSITIVE_INFINITY;
  let heardAt = startAt;
  let silence = 0;
  let doneAt: number | undefined;
  return {
    take(segment, now) {
      silence = Math.max(silence, now - heardAt);
      heardAt = now;
      const isInTurn = segment === next;
      if (segment >= next) early.add(segment);
      while (early.delete(next)) next++;
      if (next === count) doneAt ??= now;
      unsaid++;
      ackAt = Math.min(ackAt, isInTurn && unsaid < 2 ? now + delayedAck : now);
    },
    ack(now) {
      if (now < ackAt) return undefined;
      ackAt = Number.POSITIVE_INFINITY;
      unsaid = 0;
      return next;
    },
    next: () => next,
    longestSilence: () => silence,
    doneAt: () => doneAt,
  };
}

const server = Buffer.from([192, 0, 2, 1]);

/** A segment or an ack with its number, and room for `length` bytes besides. */
export function makeSegment(number: number, length: number, destination?: Buffer): Buffer {
  const payload = Buffer.alloc(4 + length);
  payload.writeUInt32BE(number);
  const way =
    destination === undefined
      ? { source: address(4, 1), destination: server }
      : { source: server, destination };
  return makePacket({ version: 4, protocol: 17, payload, ...way });
}

export function readNumber(packet: Buffer): number {
  return packet.readUInt32BE(28);
}

export function readSource(packet: Buffer): Buffer {
  const header = readIpHeader(packet);
  if (header === undefined) throw new Error('not a packet');
  return Buffer.from(readAddress(packet, header, 'source'));
}
