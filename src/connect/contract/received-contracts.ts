import type { CloseContract } from '../wire/contract-messages.ts';
import type { Id } from '../wire/id.ts';
import {
  type Account,
  type Books,
  loadAccount,
  makeCheckpoint,
  makeClose,
  makeDueCheckpoint,
  openAccount,
  saveAccount,
} from './account.ts';
import { closedByServiceAge, longestUnused, oldestToAdmit } from './ages.ts';
import { createFinishedContracts } from './finished-contracts.ts';
import type { RefusedContract } from './refused-contract.ts';
import type { ServiceClock } from './service-clock.ts';
import { type Verification, type VerifyOptions, verifyContract } from './verify.ts';

/**
 * The ledger of consumers' contracts, by contract id over every sequence and lane: the same
 * contract on thirty-six lanes is paid once, so it carries its bytes once. A sequence admits a
 * contract, which it then uses until it lets it go. `takeReports` is asked each second or so.
 */
export interface ReceivedContracts {
  /** Checks a contract, and counts its user in. The same user may admit it again and again. */
  admit(bytes: Buffer, sourceId: Id, now: number): Verification;
  use(contractId: Id): void;
  /** When the service made it, by `time`; undefined where it is not open. */
  createdAt(contractId: Id): number | undefined;
  /** The time by which contracts age. */
  time(now: number): number;
  /** False where the contract has not so many bytes left: they are not to be delivered then. */
  charge(contractId: Id, bytes: number, now: number): boolean;
  /**
   * A user lets it go. Without users it is closed; the one that was current when its sequence ended
   * only gets a checkpoint, since it may be the anchor by which its consumer is answered.
   */
  release(contractId: Id, as: 'superseded' | 'current'): void;
  /** Reports to send now: by age, and of what was let go. */
  takeReports(now: number): readonly CloseContract[];
  counters(): ReceivedCounters;
  save(): Pick<Books, 'received' | 'finished'>;
}

export interface ReceivedCounters {
  readonly admitted: number;
  readonly refused: Readonly<Partial<Record<RefusedContract, number>>>;
  /** Bytes that were carried and that no report can be made of any more. */
  readonly unpaidBytes: number;
}

export interface ReceivedOptions {
  /** Read at each check: the wish changes. */
  readonly verifyBy: () => VerifyOptions;
  readonly clock: ServiceClock;
  /** Of an earlier life. */
  readonly earlier?: Pick<Books, 'received' | 'finished'> | undefined;
}

/** Open contracts of all consumers; each of them was signed by the service. */
const mostOpen = 16_384;
const mostClosedAtOnce = 64;

interface Entry {
  readonly account: Account;
  users: number;
  /**
   * Undefined where it is of an earlier life, and no time of ours has come yet: its users need time
   * to come back, however old it is, and whatever the clock was then.
   */
  usedAt: number | undefined;
}

export function createReceivedContracts(options: ReceivedOptions): ReceivedContracts {
  const open = new Map<Id, Entry>();
  const finished = createFinishedContracts(options.earlier?.finished);
  /** The one that was admitted last. */
  let newest: Id | undefined;
  let reports: CloseContract[] = [];
  let unpaidBytes = 0;
  let admitted = 0;
  const refused: Partial<Record<RefusedContract, number>> = {};
  for (const data of options.earlier?.received ?? []) {
    const account = loadAccount(data);
    open.set(account.contractId, { account, users: 0, usedAt: undefined });
  }

  const finish = ({ account }: Entry): void => {
    unpaidBytes += account.counted - account.reported;
    open.delete(account.contractId);
    finished.add(account.contractId);
  };

  const findReason = (
    of: Verification & { readonly kind: 'verified' },
    sourceId: Id,
    now: number,
  ): RefusedContract | undefined => {
    if (finished.has(of.contractId)) return 'finished';
    const known = open.get(of.contractId);
    if (known !== undefined) return known.account.peerId === sourceId ? undefined : 'foreign-owner';
    const age = options.clock.time(now) - options.clock.createdAt(of.contractId, now);
    if (age > oldestToAdmit || finished.isTooOld(of.contractId)) return 'too-old';
    return open.size < mostOpen || makeRoom() ? undefined : 'too-many';
  };
  /** One consumer can have any number of them: those that nobody uses make room. */
  const makeRoom = (): boolean => {
    const unused = [...open.values()].filter(({ users }) => users === 0);
    for (const entry of unused.toSorted(compareUse).slice(0, mostClosedAtOnce)) close(entry);
    return unused.length > 0;
  };
  const close = (entry: Entry): void => {
    push(makeClose(entry.account));
    finish(entry);
  };

  const forget = (now: number): void => {
    for (const entry of open.values()) {
      entry.usedAt ??= now;
      if (entry.users > 0 || now - entry.usedAt <= longestUnused) continue;
      close(entry);
    }
  };
  const push = (report: CloseContract | undefined): void => {
    if (report !== undefined) reports.push(report);
  };

  return {
    admit(bytes, sourceId, now) {
      const verified = verifyContract(bytes, sourceId, options.verifyBy());
      const reason =
        verified.kind === 'refused' ? verified.reason : findReason(verified, sourceId, now);
      if (reason !== undefined || verified.kind === 'refused') {
        const why = reason ?? 'unreadable';
        refused[why] = (refused[why] ?? 0) + 1;
        return { kind: 'refused', reason: why };
      }
      const { contractId, byteCount } = verified;
      const known = open.get(contractId);
      if (known !== undefined) {
        known.usedAt ??= now;
        return verified;
      }
      const createdAt = options.clock.createdAt(contractId, now);
      const account = openAccount({ contractId, peerId: sourceId, byteCount, createdAt });
      open.set(contractId, { account, users: 0, usedAt: now });
      newest = contractId;
      admitted++;
      return verified;
    },
    use(contractId) {
      const entry = open.get(contractId);
      if (entry !== undefined) entry.users++;
    },
    createdAt: (contractId) => open.get(contractId)?.account.createdAt,
    time: options.clock.time,
    charge(contractId, bytes, now) {
      const entry = open.get(contractId);
      if (entry === undefined || entry.account.counted + bytes > entry.account.byteCount)
        return false;
      entry.account.counted += bytes;
      const age = options.clock.time(now) - entry.account.createdAt;
      if (age >= closedByServiceAge) entry.account.bridged += bytes;
      entry.usedAt = now;
      return true;
    },
    release(contractId, as) {
      const entry = open.get(contractId);
      if (entry === undefined) return;
      entry.users--;
      if (entry.users > 0) return;
      if (as === 'current') {
        push(makeCheckpoint(entry.account));
        return;
      }
      close(entry);
    },
    takeReports(now) {
      forget(now);
      const time = options.clock.time(now);
      for (const { account } of open.values()) push(makeDueCheckpoint(account, time));
      const taken = reports;
      reports = [];
      return taken;
    },
    counters: () => ({ admitted, refused: { ...refused }, unpaidBytes }),
    save: () => ({
      received: [...open.values()].map(({ account }) => saveAccount(account)),
      finished: finished.save(newest),
    }),
  };
}

/** First what has carried nothing, then what was used longest ago. */
function compareUse(one: Entry, other: Entry): number {
  const hasCarried = ({ account }: Entry): number => Number(account.counted > 0);
  const at = ({ usedAt = Number.MAX_SAFE_INTEGER }: Entry): number => usedAt;
  return hasCarried(one) - hasCarried(other) || at(one) - at(other);
}
