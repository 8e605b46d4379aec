import { type Asking, createAsking } from '../../connect/contract/asking.ts';
import type { PaidBy, Payment } from '../../connect/sequence/payment.ts';
import {
  type CloseContract,
  contract,
  storedContract,
} from '../../connect/wire/contract-messages.ts';
import type { Id } from '../../connect/wire/id.ts';
import { decode } from '../../connect/wire/message.ts';

/**
 * A consumer's contracts with its provider, as the network's own consumers have them: a new one is
 * taken when the one in use is nearly full, never because it is old, so a consumer that sends
 * little keeps one for hours. `step` is called now and then; each ask is answered once.
 */
export interface ConsumerContracts extends Payment {
  step(now: number): ConsumerContractsStep;
  /** False for a contract that is not from us to the provider; it counts as refused. */
  granted(contract: Buffer, now: number): boolean;
  refused(now: number): void;
  /** Closes everything that is left. */
  end(): readonly CloseContract[];
  /** How many contracts were used so far. */
  opened(): number;
}

interface ConsumerContractsStep {
  /** How many bytes to ask a contract for. */
  readonly ask: number | undefined;
  readonly reports: readonly CloseContract[];
}

export interface ConsumerContractsOptions {
  readonly ownId: Id;
  readonly providerId: Id;
  /** A spare is given back after so many ms. */
  readonly longestUnused: number;
}

interface Held {
  readonly paidBy: PaidBy;
  readonly usable: number;
  readonly since: number;
  taken: number;
  acked: number;
}

/** The sender leaves a fifth of a contract. */
const usableShare = 0.8;

export function createConsumerContracts(options: ConsumerContractsOptions): ConsumerContracts {
  const asking: Asking = createAsking();
  const usedUp = new Map<Id, Held>();
  let current: Held | undefined;
  let spare: Held | undefined;
  let reports: CloseContract[] = [];
  let waitingBytes = 0;
  /** The one in use has no successor yet. */
  let wantsSpare = false;
  let opened = 0;

  const close = (one: Held): void => {
    const { contractId } = one.paidBy;
    reports.push({
      contractId,
      ackedByteCount: one.acked,
      unackedByteCount: one.taken - one.acked,
      isCheckpoint: false,
    });
  };
  const settle = (one: Held): void => {
    if (one.acked < one.taken) return;
    usedUp.delete(one.paidBy.contractId);
    close(one);
  };
  const find = (contractId: Id): Held | undefined =>
    current?.paidBy.contractId === contractId ? current : usedUp.get(contractId);

  const open = (next: Held): PaidBy => {
    const old = current;
    current = next;
    spare = undefined;
    wantsSpare = true;
    waitingBytes = 0;
    next.taken = 1;
    opened++;
    asking.opened();
    if (old !== undefined) {
      usedUp.set(old.paidBy.contractId, old);
      settle(old);
    }
    return next.paidBy;
  };

  const read = (bytes: Buffer, now: number): Held | undefined => {
    const { contractId, sourceId, destinationId, transferByteCount } = decode(
      storedContract,
      decode(contract, bytes).storedBytes,
    );
    if (sourceId !== options.ownId || destinationId !== options.providerId) return undefined;
    return {
      paidBy: { contractId, contract: Buffer.from(bytes) },
      usable: Math.floor(usableShare * transferByteCount),
      since: now,
      taken: 0,
      acked: 0,
    };
  };

  const takeReports = (): readonly CloseContract[] => {
    const taken = reports;
    reports = [];
    return taken;
  };

  return {
    take(bytes) {
      if (current !== undefined && current.taken + bytes <= current.usable) {
        current.taken += bytes;
        waitingBytes = 0;
        return { kind: 'charged', by: current.paidBy };
      }
      if (spare !== undefined) return { kind: 'opens', by: open(spare) };
      waitingBytes = bytes;
      return { kind: 'waits' };
    },
    contractLength: () => current?.paidBy.contract.length ?? 0,
    acked(by, bytes) {
      const one = find(by.contractId);
      if (one === undefined) return;
      one.acked += bytes;
      if (one !== current) settle(one);
    },
    step(now) {
      if (spare !== undefined && now - spare.since >= options.longestUnused) {
        close(spare);
        spare = undefined;
      }
      // One is asked for where something waits, and the next one as soon as one is opened.
      const wantsOne = waitingBytes > 0 || wantsSpare;
      const ask =
        spare === undefined && wantsOne
          ? asking.ask({ bytes: waitingBytes, hasSpare: false }, now)
          : undefined;
      return { ask, reports: takeReports() };
    },
    granted(bytes, now) {
      const next = read(bytes, now);
      if (next === undefined) {
        asking.refused(now);
        return false;
      }
      asking.granted();
      wantsSpare = false;
      spare = next;
      return true;
    },
    refused: (now) => asking.refused(now),
    end() {
      for (const one of [current, spare, ...usedUp.values()]) if (one !== undefined) close(one);
      current = undefined;
      spare = undefined;
      usedUp.clear();
      return takeReports();
    },
    opened: () => opened,
  };
}
