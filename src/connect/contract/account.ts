import type { CloseContract } from '../wire/contract-messages.ts';
import { fromUuid, type Id, toUuid } from '../wire/id.ts';
import { closedByServiceAge, leastLateBytes, mostLateBytes, nextReportAt } from './ages.ts';
import type { ConsumerData } from './consumer-data.ts';
import type { FinishedData } from './finished-contracts.ts';

/** What is known of one contract's bytes. Its reports never add up to more than it was made for. */
export interface Account {
  readonly contractId: Id;
  readonly peerId: Id;
  readonly byteCount: number;
  /** In ms of the time by which contracts age. */
  readonly createdAt: number;
  /** Bytes that count: delivered where we receive, acknowledged where we send. */
  counted: number;
  /** Of these, what came when the service had closed the contract: the last of them. */
  bridged: number;
  reported: number;
  /** When the next report by age is due. */
  dueAt: number;
  /** Our last report of it was made: nothing more is counted for pay. */
  isClosed: boolean;
}

export function openAccount(
  of: Pick<Account, 'contractId' | 'peerId' | 'byteCount' | 'createdAt'>,
): Account {
  const dueAt = nextReportAt(of.createdAt, of.createdAt);
  return { ...of, counted: 0, bridged: 0, reported: 0, dueAt, isClosed: false };
}

/** A report to the service. */
export interface Report extends CloseContract {
  /** Of what it reports, so many bytes came so late that they may never be paid. */
  readonly bridgedByteCount?: number;
}

/** What was counted since the last report; undefined where there is nothing to say. */
export function makeCheckpoint(account: Account): Report | undefined {
  const increment = takeIncrement(account);
  if (account.isClosed || increment === 0) return undefined;
  return toReport(account, { increment, isCheckpoint: true });
}

/** The last report, also of nothing: an unused contract gives its bytes back. */
export function makeClose(account: Account): Report | undefined {
  if (account.isClosed) return undefined;
  account.isClosed = true;
  return toReport(account, { increment: takeIncrement(account), isCheckpoint: false });
}

/** The report by age, when it is time for it. `time` is the one by which contracts age. */
export function makeDueCheckpoint(account: Account, time: number): Report | undefined {
  if (account.isClosed || time < account.dueAt) return undefined;
  account.dueAt = nextReportAt(account.createdAt, time);
  if (time - account.createdAt < closedByServiceAge) return makeCheckpoint(account);
  if (account.counted - account.reported < leastLateBytes) return undefined;
  return makeCheckpoint(account);
}

/** An account as data to keep. Times are Unix ms where the clock that was passed in is. */
export interface AccountData {
  readonly contract: string;
  readonly peer: string;
  readonly byteCount: number;
  readonly createdAt: number;
  readonly counted: number;
  readonly reported: number;
  /** None in files of earlier versions. */
  readonly bridged?: number | undefined;
}

/** Contracts with what was counted and reported of them: consumers' ones, and ours to them. */
export interface Books {
  readonly received: readonly AccountData[];
  readonly own: readonly AccountData[];
  /** Consumers' contracts that are to be carried no more; none in files of earlier versions. */
  readonly finished?: FinishedData | undefined;
  /** Reports that were made and are still to be sent. */
  readonly waiting?: readonly ReportData[] | undefined;
  /** Consumers that are there, each once; no two of them have an address of the pool. */
  readonly consumers?: readonly ConsumerData[] | undefined;
}

/** A report as data to keep. */
export interface ReportData {
  readonly contract: string;
  readonly bytes: number;
  readonly isCheckpoint: boolean;
}

export function saveReport(report: CloseContract): ReportData {
  const { contractId, ackedByteCount: bytes, isCheckpoint } = report;
  return { contract: toUuid(contractId), bytes, isCheckpoint };
}

export function loadReport({ contract, bytes, isCheckpoint }: ReportData): CloseContract {
  const contractId = fromUuid(contract);
  return { contractId, ackedByteCount: bytes, unackedByteCount: 0, isCheckpoint };
}

export function saveAccount(account: Account): AccountData {
  return {
    contract: toUuid(account.contractId),
    peer: toUuid(account.peerId),
    byteCount: account.byteCount,
    createdAt: account.createdAt,
    counted: account.counted,
    reported: account.reported,
    bridged: account.bridged,
  };
}

export function loadAccount(data: AccountData): Account {
  return {
    ...openAccount({
      contractId: fromUuid(data.contract),
      peerId: fromUuid(data.peer),
      byteCount: data.byteCount,
      createdAt: data.createdAt,
    }),
    counted: data.counted,
    reported: data.reported,
    bridged: data.bridged ?? 0,
  };
}

function takeIncrement(account: Account): number {
  const { counted, bridged, byteCount } = account;
  const most = Math.min(counted - bridged + mostLateBytes, counted, byteCount);
  const increment = Math.max(0, most - account.reported);
  account.reported += increment;
  return increment;
}

function toReport(
  { contractId, counted, bridged, reported }: Account,
  of: { readonly increment: number; readonly isCheckpoint: boolean },
): Report {
  // The last bytes that were counted are the bridged ones.
  const bridgedReported = Math.max(0, reported - (counted - bridged));
  const bridgedByteCount = Math.min(of.increment, bridgedReported);
  return {
    contractId,
    ackedByteCount: of.increment,
    unackedByteCount: 0,
    isCheckpoint: of.isCheckpoint,
    ...(bridgedByteCount > 0 ? { bridgedByteCount } : {}),
  };
}
