import type { Anchor } from '../contract/incoming.ts';
import { provideModes } from '../wire/message-types.ts';
import { type Pack, toLaneKey } from '../wire/pack.ts';
import type { Consumer, ConsumerOptions } from './consumer-contract.ts';
import { createIncomingLane, type IncomingLane } from './incoming-lane.ts';
import { isAfter, isBefore, type LastLane, toKnown } from './last-lane.ts';
import { engineLimits } from './limits.ts';
import { createPastLanes } from './past-lanes.ts';
import { type DataRun, extendRun } from './renewal.ts';
import { createReplies } from './replies.ts';
import { createSealing } from './sealing.ts';
import { createUnpaidLimit } from './unpaid-limit.ts';

/** So long after a renewal, answers that get no ack show that it was another consumer's start. */
const proofAfter = 5000;
/** What is unpaid is looked at so often; what is to be sent, at each step. */
const lookEvery = 1000;

export function createConsumer(options: ConsumerOptions): Consumer {
  const { ownId, clock, newId, renewals, drops, sendBudget: budget } = options;
  const lanes = new Map<string, IncomingLane>();
  const past = createPastLanes(options.earlier);
  const sealing = createSealing({
    part: options.sealedPart,
    drops,
    onNews: options.onNews,
    onBegun(which, now) {
      if (which === 'first') options.onOffered();
      else if (!replies.isUnanswered()) return;
      endReplies(() => replies.beginAgain(which, now));
    },
  });
  /** By which the handshake came: controls go back by it. */
  let offering: LastLane | undefined = options.offering;
  const replies = createReplies({
    consumerId: options.id,
    ownId,
    clock,
    budget,
    newId,
    renewals,
    onLate: options.onLate,
    isHeld: sealing.isHeld,
    onAcked: sealing.acked,
    drops,
    carried: options.carried,
  });
  /** The lane of the last packet or ping. */
  let last: LastLane | undefined = options.earlier;
  let heardAt = options.earlier?.heardAt ?? Number.NEGATIVE_INFINITY;
  let anchor: Anchor | undefined;
  let dataRun: DataRun | undefined;
  /** Unpaid bytes of lanes that are over. */
  let endedUnpaid = 0;
  /** A planned renewal that no ack has proven yet. */
  let renewedAt: number | undefined;
  let lookAt = Number.NEGATIVE_INFINITY;

  const endLane = (key: string): void => {
    const lane = lanes.get(key);
    endedUnpaid += lane?.unpaidBytes() ?? 0;
    lane?.end();
    if (lanes.delete(key)) options.laneBudget.give(1);
  };
  const endReplies = (end = replies.endAll): void => {
    end();
    renewedAt = undefined;
  };
  const sumUnpaid = (): number => {
    let sum = endedUnpaid + replies.unpaidBytes();
    for (const lane of lanes.values()) sum += lane.unpaidBytes();
    return sum;
  };
  const unpaid = createUnpaidLimit({ ...options, sum: sumUnpaid });

  /** By the newest contract of the consumer, ours are granted. */
  const findAnchor = (lane: IncomingLane): void => {
    const newest = lane.newest();
    if (newest === undefined || newest.createdAt <= (anchor?.createdAt ?? -1)) return;
    anchor = newest;
    unpaid.anchored();
    replies.anchored(newest.createdAt);
  };

  const openLane = (pack: Pack): IncomingLane => {
    const lane: IncomingLane = createIncomingLane({
      sourceId: options.id,
      lane: pack.lane,
      sequenceId: pack.sequenceId,
      firstNumber: past.firstNumber(pack),
      ledger: options.ledger,
      budget: options.receiveBudget,
      renewals,
      drops,
      facts: (now) => ({
        hasSignalLane: [...lanes.values()].some((one) => one.isSignalLane()),
        anchor,
        time: clock.time(now),
        dataRun,
      }),
      deliver(inTurn, kind, now) {
        findAnchor(lane);
        heardAt = now;
        if (kind === 'data') dataRun = extendRun(dataRun, now);
        if (kind === 'data' || kind === 'ping') last = lane;
        sealing.delivered(inTurn, now);
        for (const frame of inTurn.frames) options.deliver(frame, now);
      },
    });
    options.onLane();
    lanes.set(toLaneKey(pack.lane), lane);
    return lane;
  };

  /** State is made only for what is paid: the contract is looked at before anything is kept. */
  const isPaid = ({ contract }: Pack, now: number): boolean =>
    contract !== undefined && options.ledger.admit(contract, options.id, now).kind === 'verified';
  const isKnown = (pack: Pack, now: number) => past.wasDelivered(pack) || isPaid(pack, now);
  /**
   * A newer sequence that was not waited for may be another start of the consumer: it checks our
   * contracts by another secret now, so answers begin again with it, with contracts of their own.
   */
  const replace = (key: string, known: IncomingLane, now: number): void => {
    const rule = known.replacedBy(now);
    endLane(key);
    if (rule === undefined) {
      endReplies();
      sealing.doubt();
      options.onRestarted();
      return;
    }
    renewedAt = now;
    renewals[rule === 'signal' ? 'bySignal' : 'byPause']++;
  };

  /**
   * The first Pack of a lane. Where it is the lane of the last packet, or of an earlier life, a
   * newer sequence may be another start, too; of answers under way, acks show whether it was.
   */
  const comesBack = (pack: Pack, now: number): void => {
    sealing.returned(pack);
    if (!isAfter(pack, last)) return;
    const isUnderWay = last !== options.earlier && replies.isUnanswered();
    if (isUnderWay || last.replacedBy?.(now) !== undefined) renewedAt = now;
    else {
      endReplies();
      options.onRestarted();
    }
  };
  const hasRoom = (key: string) => lanes.has(key) || lanes.size < engineLimits.lanesOfOne;
  const findLane = (pack: Pack, now: number): IncomingLane | undefined => {
    const key = toLaneKey(pack.lane);
    const known = lanes.get(key);
    if (known !== undefined && pack.sequenceId <= known.sequenceId)
      return pack.sequenceId === known.sequenceId ? known : undefined;
    if (!isKnown(pack, now) || !hasRoom(key) || isBefore(pack, options.earlier)) return undefined;
    if (known !== undefined) replace(key, known, now);
    if (!options.laneBudget.take(1)) return undefined;
    if (known === undefined) comesBack(pack, now);
    return openLane(pack);
  };

  const canSay = (): boolean => offering?.mode() !== undefined;
  const sayControls = (now: number): void => {
    const mode = offering?.mode();
    if (offering === undefined || mode === undefined) return;
    const isCompanion = mode !== provideModes.network;
    for (const frame of sealing.say(now))
      replies.find({ forceStream: false, isCompanion, number: 0 }).offer(frame, now);
  };

  /** Where no ack proves a renewal, it was another start of the consumer after all. */
  const proveRenewal = (now: number): void => {
    const isDue = renewedAt !== undefined && now - renewedAt >= proofAfter;
    if (isDue && replies.isUnanswered()) endReplies();
  };
  const keepLimit = (now: number): void => {
    if (!unpaid.isReached({ isRunningOut: replies.isRunningOut(now) })) return;
    for (const lane of lanes.values()) if (!lane.isSignalLane()) lane.giveUp(now);
  };

  return {
    id: options.id,
    take(pack, now) {
      const lane = findLane(pack, now);
      // After a restart of ours, its contract is in a Pack that it may only send sealed.
      if (lane === undefined && offering !== undefined) sealing.arrived(pack, now);
      if (lane === undefined) return false;
      if (!lane.lane.isCompanion && pack.sequenceNumber >= lane.next()) {
        offering = lane;
        sealing.arrived(pack, now);
      }
      lane.take(pack, now);
      return true;
    },
    acked(ack, now) {
      if (!replies.acked(ack, now)) return false;
      [renewedAt, heardAt] = [undefined, now];
      return true;
    },
    answer(frame, now) {
      const mode = last?.mode();
      if (last === undefined || mode === undefined || replies.isAbused()) return false;
      const lane = { ...last.lane, isCompanion: mode !== provideModes.network };
      return replies.find(lane).offer(frame, now);
    },
    acks: (now) => [...lanes.values()].flatMap((lane) => sealing.noteAcks(lane, now)),
    sealing,
    packs(now, most) {
      sayControls(now);
      return replies.packs(now, most);
    },
    keepBooks(now) {
      for (const [key, lane] of lanes) if (lane.isOver(now)) endLane(key);
      if (now >= lookAt) {
        lookAt = now + lookEvery;
        proveRenewal(now);
        keepLimit(now);
      }
      return { asks: replies.step(now), reports: replies.takeReports() };
    },
    wakeAt(now) {
      let soonest = replies.wakeAt(now);
      if (canSay()) soonest = Math.min(soonest, sealing.wakeAt());
      for (const lane of lanes.values()) soonest = Math.min(soonest, lane.wakeAt());
      return soonest;
    },
    narrow(wish) {
      past.setWish(wish);
      for (const [key, lane] of lanes) if (past.leaves(lane)) endLane(key);
      if (last === undefined || !past.leaves(last)) return;
      last = undefined;
      endReplies();
    },
    known: () => toKnown(last ?? past.latest(), heardAt),
    save: replies.save,
    heardAt: () => heardAt,
    isGone: (now) =>
      lanes.size === 0 &&
      replies.isEmpty() &&
      !past.isKept(now - heardAt) &&
      !sealing.isNeeded({ silentMs: now - heardAt, canSay: canSay() }),
    end() {
      for (const key of lanes.keys()) endLane(key);
      replies.endAll();
      sealing.end();
      return replies.takeReports();
    },
  };
}
