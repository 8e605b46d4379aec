import type { PaidBy, Payment } from '../sequence/payment.ts';
import { type CloseContract, contract, storedContract } from '../wire/contract-messages.ts';
import type { Id } from '../wire/id.ts';
import { decode } from '../wire/message.ts';
import { WireError } from '../wire/wire-error.ts';
import {
  type Account,
  type AccountData,
  makeClose,
  makeDueCheckpoint,
  openAccount,
  saveAccount,
} from './account.ts';
import { oldestToOpen, rollOverAge, spareAge } from './ages.ts';
import { createAsking } from './asking.ts';
import type { ServiceClock } from './service-clock.ts';

/**
 * Our contracts towards one consumer, for one reply sequence: the one in use, a spare, and those
 * that are used up and wait for their last acks. `step` says what to ask of the service and what to
 * report; it is called each second, and at once after `take` had to wait. Each ask is answered by
 * one call of `granted` or `refused`.
 */
export interface OwnContracts extends Payment {
  step(now: number): OwnContractsStep;
  /** @returns false where the contract is not one of ours; it counts as refused then. */
  granted(contract: Buffer, now: number): boolean;
  refused(now: number): void;
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
}

/** The sender leaves a fifth of a contract, by which both ends agree that it was not exceeded. */
const usableShare = 0.8;

interface OwnContract {
  readonly paidBy: PaidBy;
  readonly account: Account;
  readonly usable: number;
  taken: number;
}

export function createOwnContracts(options: OwnContractsOptions): OwnContracts {
  let current: OwnContract | undefined;
  let spare: OwnContract | undefined;
  const usedUp = new Map<Id, OwnContract>();
  const asking = createAsking();
  let reports: CloseContract[] = [];
  let takenAt = Number.NEGATIVE_INFINITY;
  /** One is asked for before the first answer: a reply sequence is made to be used. */
  let waitingBytes = 1;
  let isOver = false;

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

  const age = (one: OwnContract, now: number): number => now - one.account.createdAt;
  const fits = (bytes: number, now: number): boolean => {
    if (current === undefined || current.taken + bytes > current.usable) return false;
    const isOld = age(current, now) >= rollOverAge;
    // Once the service has refused one, what is left has to last: only its bytes count.
    return !(isOld && mayOpen(now) && !asking.wasRefused());
  };
  const mayOpen = (now: number): boolean => spare !== undefined && age(spare, now) < oldestToOpen;

  const open = (next: OwnContract): PaidBy => {
    const old = current;
    current = next;
    spare = undefined;
    next.taken = 1;
    asking.opened();
    if (old !== undefined) {
      usedUp.set(old.paidBy.contractId, old);
      settle(old);
    }
    return next.paidBy;
  };

  const wantsSpare = (now: number): boolean => {
    if (isOver) return false;
    if (spare === undefined) return current !== undefined || waitingBytes > 0;
    const isUsed = now - takenAt < spareAge;
    return isUsed && age(spare, now) >= spareAge;
  };

  const read = (bytes: Buffer, now: number): OwnContract | undefined => {
    try {
      const stored = decode(storedContract, decode(contract, bytes).storedBytes);
      const { contractId, transferByteCount: byteCount } = stored;
      const isOurs = stored.sourceId === options.ownId && stored.destinationId === options.peerId;
      if (!isOurs) return undefined;
      const createdAt = options.clock.createdAt(contractId, now);
      return {
        paidBy: { contractId, contract: Buffer.from(bytes) },
        account: openAccount({ contractId, peerId: options.peerId, byteCount, createdAt }),
        usable: Math.floor(usableShare * byteCount),
        taken: 0,
      };
    } catch (error) {
      if (error instanceof WireError) return undefined;
      throw error;
    }
  };

  return {
    take(bytes, now) {
      takenAt = now;
      if (current !== undefined && fits(bytes, now)) {
        current.taken += bytes;
        waitingBytes = 0;
        return { kind: 'charged', by: current.paidBy };
      }
      // A spare that is too old earns nothing: one that is asked for now is better, if there is
      // any.
      if (spare !== undefined && (mayOpen(now) || !asking.mayBringAnother(now)))
        return { kind: 'opens', by: open(spare) };
      waitingBytes = bytes;
      return { kind: 'waits' };
    },
    acked(by, bytes) {
      const one = find(by.contractId);
      if (one === undefined) return;
      one.account.counted += bytes;
      if (one !== current) settle(one);
    },
    step(now) {
      for (const one of [current, ...usedUp.values()])
        if (one !== undefined) push(makeDueCheckpoint(one.account, now));
      const ask = wantsSpare(now) ? asking.ask(waitingBytes, now) : undefined;
      const taken = reports;
      reports = [];
      return { ask, reports: taken };
    },
    granted(bytes, now) {
      const next = read(bytes, now);
      if (next === undefined) {
        asking.refused(now);
        return false;
      }
      asking.granted();
      const useless = isOver ? next : spare;
      if (useless !== undefined) push(makeClose(useless.account));
      if (!isOver) spare = next;
      return true;
    },
    refused: (now) => asking.refused(now),
    end() {
      isOver = true;
      for (const one of [current, spare, ...usedUp.values()])
        if (one !== undefined) push(makeClose(one.account));
      current = undefined;
      spare = undefined;
      usedUp.clear();
      const taken = reports;
      reports = [];
      return taken;
    },
    save: () =>
      [current, spare, ...usedUp.values()].flatMap((one) =>
        one === undefined ? [] : [saveAccount(one.account)],
      ),
  };
}
