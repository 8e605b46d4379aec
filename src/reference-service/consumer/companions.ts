import { createHmac } from 'node:crypto';
import {
  type CloseContract,
  contract,
  storedContract,
} from '../../connect/wire/contract-messages.ts';
import type { Id } from '../../connect/wire/id.ts';
import { decode } from '../../connect/wire/message.ts';
import { provideModes } from '../../connect/wire/message-types.ts';
import { countPackBytes, type Pack } from '../../connect/wire/pack.ts';
import { WireError } from '../../connect/wire/wire-error.ts';

/**
 * The provider's contracts to us in one of its sequences: each is checked by our own secret, and
 * counts what it carries.
 */
export interface Companions {
  /** Takes in the contract that the Pack carries, and charges the Pack. False ends the sequence. */
  pay(pack: Pack): boolean;
  knows(contractId: Id): boolean;
  /** Reports of contracts that were superseded. */
  takeReports(): readonly CloseContract[];
  /** Closes all but the one in use, which only gets a checkpoint: it may go on in another lane. */
  end(): readonly CloseContract[];
}

export interface CompanionsOptions {
  readonly ownId: Id;
  readonly providerId: Id;
  readonly streamSecret: Buffer;
}

interface Held {
  readonly contractId: Id;
  readonly byteCount: number;
  counted: number;
}

/** Of more open ones, the oldest is closed. */
const mostOpen = 4;

export function createCompanions(options: CompanionsOptions): Companions {
  /** In order of their arrival. */
  const open = new Map<Id, Held>();
  let current: Held | undefined;
  let reports: CloseContract[] = [];

  const admit = (bytes: Buffer): boolean => {
    const found = readContract(bytes, options);
    if (found === undefined) return false;
    current = open.get(found.contractId) ?? { ...found, counted: 0 };
    open.set(found.contractId, current);
    const [oldest] = open.values();
    if (open.size > mostOpen && oldest !== undefined) {
      open.delete(oldest.contractId);
      reports.push(toReport(oldest, { isCheckpoint: false }));
    }
    return true;
  };

  return {
    pay(pack) {
      if (pack.contract !== undefined && !admit(pack.contract)) return false;
      const charged = pack.contractId === undefined ? current : open.get(pack.contractId);
      if (charged === undefined) return false;
      charged.counted += countPackBytes(pack.frames);
      return charged.counted <= charged.byteCount;
    },
    knows: (contractId) => open.has(contractId),
    takeReports() {
      const taken = reports;
      reports = [];
      return taken;
    },
    end() {
      for (const one of open.values())
        reports.push(toReport(one, { isCheckpoint: one === current }));
      open.clear();
      current = undefined;
      const last = reports;
      reports = [];
      return last;
    },
  };
}

/** Undefined for what is not signed by our secret, or is not from the provider to us. */
function readContract(
  bytes: Buffer,
  { ownId, providerId, streamSecret }: CompanionsOptions,
): Omit<Held, 'counted'> | undefined {
  try {
    const { storedBytes, hmac, mode } = decode(contract, bytes);
    const expected = createHmac('sha256', streamSecret).update(storedBytes).digest();
    if (mode !== provideModes.stream || !expected.equals(hmac)) return undefined;
    const stored = decode(storedContract, storedBytes);
    if (stored.sourceId !== providerId || stored.destinationId !== ownId) return undefined;
    return { contractId: stored.contractId, byteCount: stored.transferByteCount };
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function toReport(
  { contractId, counted }: Held,
  { isCheckpoint }: { readonly isCheckpoint: boolean },
): CloseContract {
  return { contractId, ackedByteCount: counted, unackedByteCount: 0, isCheckpoint };
}
