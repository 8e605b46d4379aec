import { type Anchor, createIncomingContracts } from '../contract/incoming.ts';
import type { ReceivedContracts } from '../contract/received-contracts.ts';
import type { MemoryBudget } from '../sequence/hold-back.ts';
import { createReceiver, type DropReason } from '../sequence/receiver.ts';
import type { Ack } from '../wire/ack.ts';
import type { Id } from '../wire/id.ts';
import type { ProvideMode } from '../wire/message-types.ts';
import type { Lane, Pack } from '../wire/pack.ts';
import {
  findRenewal,
  isPlanned,
  type PackKind,
  type RenewalFacts,
  type RenewalRule,
  type Renewals,
  toPackKind,
} from './renewal.ts';

/**
 * One sequence of one consumer's lane: what comes is put in order, charged to its contract and
 * delivered; and the consumer is brought to renew its contract in time.
 */
export interface IncomingLane {
  readonly lane: Lane;
  readonly sequenceId: Id;
  take(pack: Pack, now: number): void;
  acks(now: number): readonly Ack[];
  /** Whether something that the last acks cover came in plaintext. */
  coversPlain(): boolean;
  wakeAt(): number;
  /** Over, with nothing left to wait for. */
  isOver(now: number): boolean;
  /** It has carried signals and nothing else. */
  isSignalLane(): boolean;
  mode(): ProvideMode | undefined;
  /** Packs below this number were delivered and counted. */
  next(): number;
  newest(): Anchor | undefined;
  unpaidBytes(): number;
  /** A newer sequence of the lane has come: by which rule it was waited for, if it was. */
  replacedBy(now: number): RenewalRule | undefined;
  /** Gives the consumer up: it is heard for a while, and gets no ack any more. */
  giveUp(now: number): void;
  end(): void;
}

export interface IncomingLaneOptions {
  readonly sourceId: Id;
  readonly lane: Lane;
  readonly sequenceId: Id;
  /** Packs below it were delivered and counted in an earlier life. */
  readonly firstNumber: number;
  readonly ledger: ReceivedContracts;
  readonly budget: MemoryBudget;
  readonly renewals: Renewals;
  /** What is known of the consumer beyond this lane. */
  readonly facts: (
    now: number,
  ) => Pick<RenewalFacts, 'hasSignalLane' | 'anchor' | 'time' | 'dataRun'>;
  readonly deliver: (pack: Pack, kind: PackKind, now: number) => void;
  readonly drops: Record<DropReason, number>;
}

/**
 * After so long, one selective ack: the ping's own half minute ends then before its sequence does,
 * so it is no error.
 */
const selectAfterMs = 500;
/** No data for so long may have been a pause; what ends sooner was none. */
const shortestPause = 1000;
/** Programs give up a sequence after 30 s, plain clients after 60 s. */
const longestHeard = 60_000;

interface Held {
  readonly rule: RenewalRule;
  readonly since: number;
  /** By the time that contracts age by: a hastened consumer gives up sooner. */
  readonly sinceTime: number;
}

export function createIncomingLane(options: IncomingLaneOptions): IncomingLane {
  const { sequenceId, renewals } = options;
  const contracts = createIncomingContracts(options.ledger, options.sourceId);
  let held: Held | undefined;
  let [tookPlain, coversPlain] = [false, false];
  let hasSignals = false;
  let hasOthers = false;
  const isSignalLane = (): boolean => hasSignals && !hasOthers;

  const hold = (rule: RenewalRule, now: number): void => {
    held = { rule, since: now, sinceTime: options.ledger.time(now) };
    receiver.withhold({ selectAfterMs: rule === 'idle' ? selectAfterMs : undefined }, now);
  };
  const renew = (kind: PackKind, now: number): void => {
    if (held?.rule === 'idle' && kind === 'data') {
      if (now - held.since >= shortestPause) renewals.aborted++;
      held = undefined;
      receiver.acknowledge(now);
    }
    if (held !== undefined) return;
    const rule = findRenewal({ ...options.facts(now), kind, isSignalLane: isSignalLane() }, now);
    if (rule !== undefined) hold(rule, now);
  };

  const receiver = createReceiver({
    sequenceId,
    budget: options.budget,
    knowsContract: contracts.knows,
    firstNumber: options.firstNumber,
    recall: contracts.recall,
    onDrop: (why) => void options.drops[why]++,
    deliver(pack, now) {
      tookPlain ||= pack.cameSealed === undefined;
      const isGivenUp = held?.rule === 'limit' && now - held.since >= longestHeard;
      if (isGivenUp || !contracts.pay(pack, now)) return false;
      const kind = toPackKind(pack);
      if (kind === 'signals') hasSignals = true;
      else if (kind !== 'empty') hasOthers = true;
      renew(kind, now);
      options.deliver(pack, kind, now);
      return true;
    },
  });

  /**
   * A sequence that was known before goes on without a contract, until one comes: what is dropped
   * of it meanwhile is sent again, and brings it.
   */
  const lacksContract = ({ contract, contractId, isHead, wantsNoAck, sequenceNumber }: Pack) =>
    contracts.mode() === undefined &&
    contract === undefined &&
    contractId === undefined &&
    (isHead || wantsNoAck || sequenceNumber === receiver.next());

  return {
    lane: options.lane,
    sequenceId,
    take(pack, now) {
      tookPlain ||= pack.cameSealed === undefined;
      if (lacksContract(pack)) options.drops.unpaid++;
      else receiver.take(pack, now);
    },
    acks(now) {
      const acks = receiver.acks(now);
      if (acks.length === 0) return acks;
      [coversPlain, tookPlain] = [tookPlain, false];
      return acks;
    },
    coversPlain: () => coversPlain,
    wakeAt: receiver.wakeAt,
    isOver(now) {
      const end = receiver.ended(now);
      return end === 'gap' || end === 'idle';
    },
    isSignalLane,
    mode: contracts.mode,
    next: receiver.next,
    newest: contracts.newest,
    unpaidBytes: contracts.unpaidBytes,
    replacedBy(now) {
      if (held === undefined) return undefined;
      return isPlanned(held.rule, options.ledger.time(now) - held.sinceTime)
        ? held.rule
        : undefined;
    },
    giveUp(now) {
      if (held?.rule === 'limit') return;
      renewals.ended++;
      hold('limit', now);
    },
    end() {
      receiver.end();
      contracts.end();
    },
  };
}
