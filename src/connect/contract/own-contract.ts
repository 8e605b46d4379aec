import type { PaidBy } from '../sequence/payment.ts';
import type { Id } from '../wire/id.ts';
import { type Account, openAccount } from './account.ts';
import { readGranted } from './read-granted.ts';
import type { ServiceClock } from './service-clock.ts';

/** One contract by which a consumer is answered. */
export interface OwnContract {
  readonly paidBy: PaidBy;
  readonly account: Account;
  readonly usable: number;
  taken: number;
  /** Of these, what was sent when the service had closed it: always the last of them. */
  unpaid: number;
}

/** The sender leaves a fifth of a contract, by which both ends agree that it was not exceeded. */
const usableShare = 0.8;

/** Reads what the service granted; undefined where it is of no use to these two. */
export function readOwnContract(
  bytes: Buffer,
  of: { readonly ownId: Id; readonly peerId: Id; readonly clock: ServiceClock },
  now: number,
): OwnContract | undefined {
  const granted = readGranted(bytes, of);
  if (granted === undefined) return undefined;
  const { contractId, byteCount } = granted;
  const createdAt = of.clock.createdAt(contractId, now);
  return {
    paidBy: { contractId, contract: Buffer.from(bytes) },
    account: openAccount({ contractId, peerId: of.peerId, byteCount, createdAt }),
    usable: Math.floor(usableShare * byteCount),
    taken: 0,
    unpaid: 0,
  };
}
