import type { Ack, Tag } from '../wire/ack.ts';
import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import type { Pack } from '../wire/pack.ts';
import { findFrameRoom } from '../wire/transfer-frame.ts';
import { createLossDetector } from './loss.ts';
import { createOutgoingQueue } from './outgoing-queue.ts';
import type { PaidBy } from './payment.ts';
import { createProbing } from './probing.ts';
import { createRoundTrip } from './round-trip.ts';
import type { SenderCounters } from './sender-counters.ts';
import { findSenderEnd, findSenderEndTime, type SenderEnd, type Waiting } from './sender-end.ts';
import type { SenderOptions } from './sender-options.ts';
import { createUnackedPacks, toPack, type UnackedPack } from './unacked.ts';
import { createWanted } from './wanted.ts';
import { createWindow } from './window.ts';

/**
 * One direction of traffic to one lane of a peer. Every time is in whole ms of one clock that never
 * goes back. `offer` queues; `take` hears an ack; `step` gives the Packs to send now, at most
 * `most` of them, and is called after either, and at `wakeAt`. It never sends the same Pack for no
 * reason: a Pack goes again on evidence of its loss, or as a probe after silence.
 */
export interface Sender {
  readonly sequenceId: Id;
  /** False where the queue is full: the frame is dropped, which slows inner TCP down. */
  offer(frame: Frame, now: number): boolean;
  take(ack: Ack, now: number): void;
  step(now: number, most: number): readonly Pack[];
  /** Infinity where only `offer` or `take` can bring something to do. */
  wakeAt(now: number): number;
  /** Why the sequence is over; `end` gives its memory back, and its contracts are closed. */
  ended(now: number): SenderEnd | undefined;
  end(): void;
  /** Takes out what was never sent, so that another sequence sends it. */
  takeUnsent(): readonly Frame[];
  counters(): SenderCounters;
}

/** How many Packs go again in one step: more at once would be the burst that loses them. */
const mostResends = 16;
/** However small they are: each ack of a peer has us look through all of them. */
const mostUnacked = 2048;
/** What a frame takes of the process beside its bytes: the object, and the view of its bytes. */
const frameMemory = 192;

export function createSender(options: SenderOptions): Sender {
  const roundTrip = createRoundTrip();
  const window = createWindow(roundTrip);
  const unacked = createUnackedPacks();
  const losses = createLossDetector(roundTrip);
  const probing = createProbing(roundTrip);
  const wanted = createWanted();
  const queue = createOutgoingQueue(options.queueBytes, options);
  let nextNumber = 0;
  let usedAt: number | undefined;
  let waitsSince: number | undefined;
  let isFull = false;
  /** When the window held something back last. */
  let fullAt = Number.NEGATIVE_INFINITY;
  let memory = 0;
  let lossAt = Number.POSITIVE_INFINITY;
  const count = { packs: 0, resent: 0, probes: 0, distrusted: 0 };

  const give = (frames: readonly Frame[]): void => {
    for (const frame of frames) {
      options.budget.give(frame.bytes.length + frameMemory);
      memory -= frame.bytes.length + frameMemory;
    }
  };

  const send = (frames: readonly Frame[], paidBy: PaidBy | undefined, now: number): Pack => {
    const pack = unacked.add({
      messageId: options.newMessageId(),
      number: nextNumber++,
      frames,
      paidBy,
      firstSentAt: now,
    });
    usedAt = now;
    count.packs++;
    options.onSent?.(frames, now);
    return toPack(pack, options);
  };

  const sendAgain = (pack: UnackedPack, now: number): Pack => {
    if (pack === unacked.lowest()) {
      // A receiver that lost its state can begin with it.
      pack.isHead = true;
      pack.hasContract = true;
    }
    pack.sentAt = now;
    pack.sendings++;
    count.resent++;
    return toPack(pack, options);
  };

  const sendLost = (now: number, most: number): readonly Pack[] => {
    const { lost, inMs } = losses.find(unacked, now);
    const again = lost.slice(0, Math.min(mostResends, most));
    lossAt = now + (again.length < lost.length ? 1 : inMs);
    if (again.length > 0) window.shrink(now);
    return again.map((pack) => sendAgain(pack, now));
  };

  const sendProbe = (now: number): readonly Pack[] => {
    const probe = probing.due(unacked, now);
    if (probe === undefined) return [];
    if (probe.isDistrust) {
      for (const pack of unacked.all()) pack.selectedAt = undefined;
      count.distrusted++;
    }
    count.probes++;
    window.shrink(now);
    return [sendAgain(probe.pack, now)];
  };

  const sendWanted = (now: number): readonly Pack[] => {
    const pack = wanted.take();
    const isUnacked = pack !== undefined && unacked.find(pack.messageId) !== undefined;
    return isUnacked ? [sendAgain(pack, now)] : [];
  };

  const resend = (now: number, most: number): readonly Pack[] => {
    if (most === 0) return [];
    if (wanted.isThere()) return sendWanted(now);
    const again = sendLost(now, most);
    return again.length > 0 ? again : sendProbe(now);
  };

  const isHeldBack = (room: number, now: number): boolean => {
    const isAbove = unacked.bytes() + queue.nextBytes(room) > window.bytes();
    isFull = (isAbove || unacked.count() >= mostUnacked) && !queue.isUrgent();
    if (isFull) fullAt = now;
    return isFull;
  };

  const dropLate = (now: number): void => {
    // What waits for a contract is not too much for the path.
    if (waitsSince !== undefined) queue.forgive(now);
    const late = queue.takeLate(now);
    give(late);
    if (late.length > 0) options.onLate?.(late.length);
  };

  /** Undefined where the window, or the want of a contract, holds it back. */
  const sendNext = (now: number): Pack | undefined => {
    // Each Pack may have to bring the contract that pays for it.
    const room = findFrameRoom(options.payment.contractLength());
    if (isHeldBack(room, now)) return undefined;
    dropLate(now);
    const charge = options.payment.take(queue.nextBytes(room), now);
    waitsSince = charge.kind === 'waits' ? (waitsSince ?? now) : undefined;
    if (charge.kind === 'waits') return undefined;
    return send(charge.kind === 'opens' ? [] : queue.shift(room), charge.by, now);
  };

  const sendNew = (now: number, most: number): readonly Pack[] => {
    const packs: Pack[] = [];
    while (packs.length < most && !queue.isEmpty()) {
      const pack = sendNext(now);
      if (pack === undefined) break;
      packs.push(pack);
    }
    return packs;
  };

  const waiting = (): Waiting => ({
    unacknowledged: unacked.lowest()?.firstSentAt,
    'no-contract': waitsSince,
    idle: unacked.lowest() === undefined && queue.isEmpty() ? usedAt : undefined,
  });

  /** What the time of a sending that arrived says of the path. */
  const learn = (pack: UnackedPack, { sentAt }: Tag, now: number): void => {
    // Otherwise the Pack has waited there for an earlier one, for longer than the path takes.
    if (pack.selectedAt === undefined) roundTrip.sample(now - sentAt);
    if (sentAt < pack.sentAt) losses.wasLate(now);
    losses.arrived({ sentAt: Math.min(sentAt, pack.sentAt), number: pack.number }, now);
  };

  const acknowledge = (pack: UnackedPack, now: number): void => {
    const before = unacked.bytes();
    for (const done of unacked.removeUpTo(pack.number)) {
      if (done.paidBy !== undefined) options.payment.acked(done.paidBy, done.bytes);
      give(done.frames);
      options.onAcked?.(done.frames);
    }
    const wasFull = now - fullAt <= (roundTrip.mean() ?? 0);
    window.grow({ bytes: before - unacked.bytes(), wasFull });
    probing.progress(now);
  };

  return {
    sequenceId: options.sequenceId,
    offer(frame, now) {
      usedAt = now;
      const cost = frame.bytes.length + frameMemory;
      if (!options.budget.take(cost)) return false;
      memory += cost;
      const isTaken = queue.push(frame, now);
      if (!isTaken) give([frame]);
      return isTaken;
    },
    end() {
      options.budget.give(memory);
      memory = 0;
    },
    takeUnsent() {
      const frames = queue.takeAll();
      give(frames);
      return frames;
    },
    take(ack, now) {
      const pack = unacked.find(ack.messageId);
      if (pack === undefined || ack.sequenceId !== options.sequenceId) return;
      if (ack.missingContractId !== undefined) {
        wanted.ask(pack, now);
        return;
      }
      if (ack.tag !== undefined) learn(pack, ack.tag, now);
      if (ack.isSelective) pack.selectedAt ??= now;
      else acknowledge(pack, now);
    },
    step(now, most) {
      const allowed = Math.min(most, window.tokens(now));
      const again = resend(now, allowed);
      const packs = [...again, ...sendNew(now, allowed - again.length)];
      window.spend(packs.length);
      if (unacked.lowest() === undefined) probing.progress(now);
      return packs;
    },
    wakeAt(now) {
      const paces = !queue.isEmpty() && !isFull && waitsSince === undefined;
      return Math.min(
        wanted.isThere() ? now : lossAt,
        probing.wakeAt(unacked),
        paces ? window.nextTokenAt(now) : Number.POSITIVE_INFINITY,
        findSenderEndTime(waiting()),
      );
    },
    ended: (now) => findSenderEnd(waiting(), now),
    counters: () => ({
      ...count,
      queuedBytes: queue.bytes(),
      queuedFrames: queue.count(),
      unackedBytes: unacked.bytes(),
    }),
  };
}
