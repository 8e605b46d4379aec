import type { PaidBy, Payment } from '../sequence/payment.ts';
import type { CloseContract } from '../wire/contract-messages.ts';
import type { Id } from '../wire/id.ts';
import { type AccountData, makeClose, makeDueCheckpoint, saveAccount } from './account.ts';
import { closedByServiceAge, oldestToOpen, rollOverAge } from './ages.ts';
import type { MayAsk } from './ask-pace.ts';
import { createAsking, type Refusals } from './asking.ts';
import { type OwnContract, readOwnContract } from './own-contract.ts';
import { createMinuteRate } from './rate.ts';
import type { ServiceClock } from './service-clock.ts';
import { planSpares, type SpareFacts, wouldBridge } from './spares.ts';

/**
 * Our contracts towards one consumer, for one reply sequence: the one in use, spares, and those
 * that are used up and wait for their last acks. `step` says what to ask of the service and what to
 * report; it is called each second, and at once after `take` had to wait. Each ask is answered by
 * one call of `granted` or `refused`.
 */
export interface OwnContracts extends Payment {
  step(now: number): OwnContractsStep;
  /** @returns false where the contract is not one of ours; it counts as refused then. */
  granted(contract: Buffer, now: number): boolean;
  refused(now: number): void;
  /** The consumer has a new contract, made at this time: by it, ours are granted again. */
  anchored(createdAt: number): void;
  /** So many bytes of answers are sent by the contract that was charged last. */
  carried(bytes: number, now: number): void;
  /** Bytes of answers that were sent by contracts which the service had closed by then. */
  unpaidBytes(): number;
  /** Bytes that the consumer has not acknowledged, without those that were unpaid as it is. */
  abandonedBytes(): number;
  /** Bytes that the consumer has acknowledged. */
  ackedBytes(): number;
  /** The service grants nothing more, and what is left lasts less than a minute. */
  isRunningOut(now: number): boolean;
  refusals(): Refusals | undefined;
  /** Reports of everything that is left; a contract that is granted later is given back. */
  end(): readonly CloseContract[];
  save(): readonly AccountData[];
}

interface OwnContractsStep {
  /** How many bytes to ask a contract for. */
  readonly ask: number | undefined;
  readonly reports: readonly CloseContract[];
}

export interface OwnContractsOptions {
  readonly ownId: Id;
  readonly peerId: Id;
  readonly clock: ServiceClock;
  /** When the newest contract of the consumer was made. */
  readonly anchoredAt?: number | undefined;
  /** Of an earlier reply sequence, since that contract came: the service is given the same rest. */
  readonly refusals?: Refusals | undefined;
  /** Of all that is asked for the consumer; without it, nothing is held back. */
  readonly mayAsk?: MayAsk | undefined;
}

/** Spares are looked at so often, and whenever one came or is waited for. */
const planEvery = 1000;

export function createOwnContracts(options: OwnContractsOptions): OwnContracts {
  const { clock } = options;
  let current: OwnContract | undefined;
  let spares: readonly OwnContract[] = [];
  const usedUp = new Map<Id, OwnContract>();
  const { mayAsk } = options;
  const asking = createAsking(options.refusals, (now) => mayAsk?.(clock.time(now)) !== false);
  const rate = createMinuteRate();
  let reports: CloseContract[] = [];
  /** One is asked for before the first answer: a reply sequence is made to be used. */
  let waitingBytes = 1;
  let { anchoredAt } = options;
  let isOver = false;
  let unpaidBytes = 0;
  let ackedBytes = 0;
  let planAt = Number.NEGATIVE_INFINITY;

  const push = (report: CloseContract | undefined): void => {
    if (report !== undefined) reports.push(report);
  };
  const settle = (one: OwnContract): void => {
    if (one.account.counted < one.taken) return;
    usedUp.delete(one.paidBy.contractId);
    push(makeClose(one.account));
  };
  const find = (contractId: Id): OwnContract | undefined =>
    current?.paidBy.contractId === contractId ? current : usedUp.get(contractId);

  const listAll = (): readonly OwnContract[] => [
    ...(current === undefined ? [] : [current]),
    ...spares,
    ...usedUp.values(),
  ];
  /** Bytes that can still be sent without a new contract. */
  const sumLeft = (): number =>
    (current === undefined ? 0 : current.usable - current.taken) +
    spares.reduce((sum, { usable }) => sum + usable, 0);

  const age = (one: OwnContract, now: number): number => clock.time(now) - one.account.createdAt;
  const toFacts = (now: number): SpareFacts => ({
    spares: spares.map((one) => ({ usable: one.usable, age: age(one, now) })),
    bytesPerMinute: rate.bytesPerMinute(clock.time(now)),
    mostPerMinute: rate.mostPerMinute(clock.time(now)),
    anchorAge: anchoredAt === undefined ? undefined : clock.time(now) - anchoredAt,
  });
  const hasYoungSpare = (now: number): boolean => {
    const next = spares.at(-1);
    return next !== undefined && age(next, now) < oldestToOpen;
  };
  /**
   * Once the service has refused one, what is left has to last: then only its bytes count, unless
   * there is enough of it.
   */
  const mayRollOver = (now: number): boolean =>
    hasYoungSpare(now) && (!asking.wasRefused() || wouldBridge(toFacts(now)));
  const fits = (one: OwnContract, bytes: number, now: number): boolean =>
    one.taken + bytes <= one.usable && !(age(one, now) >= rollOverAge && mayRollOver(now));

  const charge = (one: OwnContract, bytes: number, now: number): PaidBy => {
    one.taken += bytes;
    waitingBytes = 0;
    rate.add(bytes, clock.time(now));
    return one.paidBy;
  };
  const open = (next: OwnContract, now: number): PaidBy => {
    const old = current;
    current = next;
    asking.opened();
    if (old !== undefined) {
      usedUp.set(old.paidBy.contractId, old);
      settle(old);
    }
    return charge(next, 1, now);
  };

  /** Gives back what younger spares replace, and asks for what is missing. */
  const keepSpares = (now: number): number | undefined => {
    planAt = now + planEvery;
    const plan = planSpares(toFacts(now));
    // What is given back after a refusal is not to be had again.
    const surplus = asking.wasRefused() ? 0 : plan.surplus;
    for (const one of spares.slice(0, surplus)) push(makeClose(one.account));
    spares = spares.slice(surplus);
    const isWanted = plan.wants !== undefined || waitingBytes > 0;
    if (isOver || !isWanted) return undefined;
    const bytes = Math.max(waitingBytes, plan.wants ?? 0);
    return asking.ask({ bytes, hasSpare: spares.length > 0 }, now);
  };

  return {
    take(bytes, now) {
      if (current !== undefined && fits(current, bytes, now))
        return { kind: 'charged', by: charge(current, bytes, now) };
      const next = spares.at(-1);
      // A spare that is too old earns nothing: one that is asked for now is better, if there is
      // any.
      if (next !== undefined && (hasYoungSpare(now) || !asking.mayBringAnother(now))) {
        spares = spares.slice(0, -1);
        return { kind: 'opens', by: open(next, now) };
      }
      waitingBytes = bytes;
      return { kind: 'waits' };
    },
    contractLength: () => current?.paidBy.contract.length ?? 0,
    acked(by, bytes) {
      ackedBytes += bytes;
      const one = find(by.contractId);
      if (one === undefined) return;
      one.account.counted += bytes;
      one.account.bridged = Math.max(0, one.account.counted - (one.taken - one.unpaid));
      if (one !== current) settle(one);
    },
    step(now) {
      for (const one of [current, ...usedUp.values()])
        if (one !== undefined) push(makeDueCheckpoint(one.account, clock.time(now)));
      const ask = now >= planAt || waitingBytes > 0 ? keepSpares(now) : undefined;
      const taken = reports;
      reports = [];
      return { ask, reports: taken };
    },
    granted(bytes, now) {
      const next = readOwnContract(bytes, options, now);
      if (next === undefined) {
        asking.refused(now);
        return false;
      }
      asking.granted();
      [waitingBytes, planAt] = [0, now];
      if (isOver) push(makeClose(next.account));
      else spares = [...spares, next];
      return true;
    },
    refused: (now) => asking.refused(now),
    anchored(createdAt) {
      if (createdAt <= (anchoredAt ?? 0)) return;
      anchoredAt = createdAt;
      planAt = Number.NEGATIVE_INFINITY;
      asking.forgetRefusals();
    },
    carried(bytes, now) {
      if (current === undefined || age(current, now) < closedByServiceAge) return;
      current.unpaid += bytes;
      unpaidBytes += bytes;
    },
    unpaidBytes: () => unpaidBytes,
    // Acks come in order, too: what is missing is the last that was sent by each contract.
    abandonedBytes: () =>
      listAll().reduce(
        (sum, { taken, account, unpaid }) => sum + Math.max(0, taken - account.counted - unpaid),
        0,
      ),
    ackedBytes: () => ackedBytes,
    isRunningOut: (now) =>
      current !== undefined && asking.wasRefused() && sumLeft() < toFacts(now).bytesPerMinute,
    refusals: asking.refusals,
    end() {
      isOver = true;
      for (const one of listAll()) push(makeClose(one.account));
      [current, spares] = [undefined, []];
      usedUp.clear();
      const taken = reports;
      reports = [];
      return taken;
    },
    save: () => listAll().map(({ account }) => saveAccount(account)),
  };
}
