import type { PaidBy, Payment } from '../../../src/connect/sequence/payment.ts';
import type { CloseContract } from '../../../src/connect/wire/contract-messages.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import type { Service } from './service.ts';

/** A consumer's own contracts for one sequence, as the network's apps hold them. */
export interface Purse extends Payment {
  step(now: number): void;
  /** Closes all of them. */
  end(now: number): void;
}

export interface PurseOptions {
  readonly service: Service;
  readonly from: Id;
  readonly to: Id;
  readonly isCompanion: boolean;
}

const mebibyte = 1024 * 1024;
/** Each contract is larger than the one before. */
const sizes = [1, 33, 64, 96, 128] as const;
const longestUnused = 120_000;

interface Held extends PaidBy {
  readonly usable: number;
  readonly grantedAt: number;
  taken: number;
  acked: number;
}

export function createPurse({ service, from, to, isCompanion }: PurseOptions): Purse {
  const open = new Map<Id, Held>();
  let current: Held | undefined;
  let spare: Held | undefined;
  let opened = 0;
  let now = 0;

  const report = (of: Pick<CloseContract, 'contractId' | 'ackedByteCount'>): void => {
    service.report(from, { ...of, unackedByteCount: 0, isCheckpoint: false }, now);
  };
  const ask = (): Held | undefined => {
    const byteCount = (sizes[Math.min(opened, sizes.length - 1)] ?? 1) * mebibyte;
    const granted = service.grant({ from, to, byteCount, isCompanion }, now);
    if (granted === undefined) return undefined;
    const { contractId, contract } = granted;
    const usable = Math.floor(0.8 * granted.byteCount);
    return { contractId, contract, usable, grantedAt: now, taken: 0, acked: 0 };
  };
  const close = (one: Held): void => {
    open.delete(one.contractId);
    report({ contractId: one.contractId, ackedByteCount: one.acked });
  };

  return {
    take(bytes, at) {
      now = at;
      if (current !== undefined && current.taken + bytes <= current.usable) {
        current.taken += bytes;
        return { kind: 'charged', by: current };
      }
      const next = spare ?? ask();
      if (next === undefined) return { kind: 'waits' };
      const old = current;
      current = next;
      current.taken = 1;
      open.set(current.contractId, current);
      opened++;
      spare = ask();
      if (old !== undefined && old.acked === old.taken) close(old);
      return { kind: 'opens', by: current };
    },
    contractLength: () => current?.contract.length ?? 0,
    acked(by, bytes) {
      const one = open.get(by.contractId);
      if (one === undefined) return;
      one.acked += bytes;
      service.noteCarried(one.contractId, bytes);
      if (one !== current && one.acked === one.taken) close(one);
    },
    step(at) {
      now = at;
      if (spare === undefined || now - spare.grantedAt < longestUnused) return;
      report({ contractId: spare.contractId, ackedByteCount: 0 });
      spare = undefined;
    },
    end(at) {
      now = at;
      for (const one of open.values()) {
        service.noteUnderWay(one.contractId, one.taken - one.acked);
        close(one);
      }
      if (spare !== undefined) report({ contractId: spare.contractId, ackedByteCount: 0 });
      spare = undefined;
      current = undefined;
    },
  };
}
