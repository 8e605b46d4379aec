import { createHeldPacks, createMemoryBudget, type HeldPacks } from '../sequence/hold-back.ts';
import type { Ack } from '../wire/ack.ts';
import type { Id } from '../wire/id.ts';
import type { Pack } from '../wire/pack.ts';

/**
 * Packs that came before the contract that pays for them: it was overtaken or lost, or we were
 * started again since. Nothing of them is delivered before a contract verifies. Their sender is
 * told what is there and what is missing, or it would wait for two seconds before it tries again.
 * Whatever strangers send, a mebibyte is kept of it, and that for half a minute.
 */
export interface Strangers {
  /** False where the Pack is of no use without a contract, and where there is no room. */
  take(sourceId: Id, pack: Pack, now: number): boolean;
  /** The contract came: what was kept of that sequence, in order. */
  claim(sourceId: Id, sequenceId: Id): readonly Pack[];
  /** What is to be said now, and to whom; once. */
  takeAcks(): readonly Told[];
  /** Forgets what waited too long. */
  forget(now: number): void;
}

interface Told {
  readonly id: Id;
  readonly acks: () => readonly Ack[];
}

/** A sender gives up after 30 s without an answer. */
const longestWait = 30_000;
const mostSequences = 64;
/** One for each lane that programs use, and one more. */
const mostOfOne = 4;
/** What a sender has on its way before the first ack comes. */
const mostPacks = 128;
const mostBytes = 1024 * 1024;

const none: readonly Pack[] = [];

interface Waiting {
  readonly sourceId: Id;
  readonly sequenceId: Id;
  readonly since: number;
  readonly numbers: Set<number>;
  readonly held: HeldPacks;
}

export function createStrangers(): Strangers {
  const budget = createMemoryBudget(mostBytes);
  const waiting = new Map<string, Waiting>();
  let said: Told[] = [];

  const say = (sourceId: Id, pack: Pack, what: Partial<Ack>): void => {
    const { messageId, sequenceId, tag } = pack;
    const common = { isSelective: false, missingContractId: undefined, tag };
    const versions = { recoversContracts: true, laneVersion: 1 };
    const ack = { messageId, sequenceId, ...versions, ...common, ...what };
    said.push({ id: sourceId, acks: () => [ack] });
  };
  const countOf = (sourceId: Id): number =>
    [...waiting.values()].filter((one) => one.sourceId === sourceId).length;

  const find = (sourceId: Id, { sequenceId }: Pack, now: number): Waiting | undefined => {
    const key = sourceId + sequenceId;
    const known = waiting.get(key);
    if (known !== undefined) return known;
    if (waiting.size >= mostSequences || countOf(sourceId) >= mostOfOne) return undefined;
    const numbers = new Set<number>();
    const made = { sourceId, sequenceId, since: now, numbers, held: createHeldPacks(budget) };
    waiting.set(key, made);
    return made;
  };
  const keep = (sourceId: Id, pack: Pack, now: number): boolean => {
    const of = find(sourceId, pack, now);
    if (of === undefined) return false;
    const { numbers, held } = of;
    const isKept = numbers.has(pack.sequenceNumber);
    if (!isKept && (numbers.size >= mostPacks || !held.hold(pack, now))) return false;
    numbers.add(pack.sequenceNumber);
    return true;
  };

  return {
    take(sourceId, pack, now) {
      const { isHead, contract, contractId, wantsNoAck } = pack;
      if (contract !== undefined || wantsNoAck) return false;
      if (isHead) {
        if (contractId === undefined) return false;
        say(sourceId, pack, { missingContractId: contractId, tag: undefined });
        return true;
      }
      if (!keep(sourceId, pack, now)) return false;
      say(sourceId, pack, { isSelective: true });
      return true;
    },
    claim(sourceId, sequenceId) {
      // Asked for each Pack, and nearly always in vain.
      if (waiting.size === 0) return none;
      const of = waiting.get(sourceId + sequenceId);
      if (of === undefined) return none;
      waiting.delete(sourceId + sequenceId);
      const numbers = [...of.numbers].sort((one, other) => one - other);
      return numbers.flatMap((number) => of.held.take(number) ?? []);
    },
    takeAcks() {
      const taken = said;
      said = [];
      return taken;
    },
    forget(now) {
      for (const [key, { since, held }] of waiting) {
        if (now - since < longestWait) continue;
        held.clear();
        waiting.delete(key);
      }
    },
  };
}
