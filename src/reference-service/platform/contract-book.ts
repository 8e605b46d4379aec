import type { DatabaseSync } from 'node:sqlite';
import { provideModes } from '../../connect/wire/message-types.ts';
import { inTransaction } from '../database.ts';
import { queryOn, type Sql, selectFields, sql } from '../statements.ts';
import { longestDispute, longestOpen, originAfterClose } from './contract-terms.ts';
import { addReport, countPaid, forceClose, type Settlement, type Side, settle } from './settle.ts';

const fields = `contractId sourceId destinationId isCompanion mode byteCount payerId payeeId createdMs
  sourceState sourceBytes destinationState destinationBytes disputedMs closedMs outcome paidBytes lateBytes`;

/** A contract as it is kept. Ids are UUIDs; times are in ms by the platform's clock. */
export interface KeptContract extends NewContract {
  readonly sourceState: Side['state'];
  readonly sourceBytes: number;
  readonly destinationState: Side['state'];
  readonly destinationBytes: number;
  readonly disputedMs: number | null;
  readonly closedMs: number | null;
  /** Null while it is open. */
  readonly outcome: 'settled' | null;
  /** What the payer pays for. */
  readonly paidBytes: number;
  /** Reported by the provider after it was closed: carried, and not paid. */
  readonly lateBytes: number;
}

export interface NewContract {
  readonly contractId: string;
  readonly sourceId: string;
  readonly destinationId: string;
  readonly isCompanion: 0 | 1;
  /** The wire's number of the mode by whose secret it is signed. */
  readonly mode: number;
  readonly byteCount: number;
  /** The network that pays, and the one that earns. */
  readonly payerId: string;
  readonly payeeId: string;
  readonly createdMs: number;
}

/** What became of a report; each but `counted` is said to the caller as an error. */
export type ReportOutcome = 'counted' | 'not-found' | 'not-a-party' | 'disputed' | 'closed';

interface Report {
  readonly contractId: string;
  /** Who reports. */
  readonly clientId: string;
  /** What was carried since its last report. */
  readonly bytes: number;
  readonly isCheckpoint: boolean;
}

/** From whom to whom; the order counts. */
export interface Pair {
  readonly sourceId: string;
  readonly destinationId: string;
}

/** All contracts; what is changed is in the database when the call returns. */
export interface ContractBook {
  add(contract: NewContract): void;
  report(report: Report): ReportOutcome;
  /**
   * Whether a companion from source to destination has something that it answers: a contract the
   * other way that is open or was closed a short while ago.
   */
  hasOrigin(companion: Pair): boolean;
  /** Whether the two have an open contract, either way, that nobody has reported anything of. */
  hasClean(pair: Pair): boolean;
  /** Whether they have any that is open. */
  hasOpen(pair: Pair): boolean;
  /** One pass over what is too old, and over disputes. Returns how many were closed by it. */
  forceClose(): number;
  /** The sum of what open contracts of this payer may still cost, in bytes. */
  reservedBytes(networkId: string): number;
  /** The newest first. */
  list(most: number): readonly KeptContract[];
}

export interface ContractBookOptions {
  /** By the platform's clock. */
  readonly now: () => number;
  /** Called in the same transaction for each contract that is paid. */
  readonly onPaid: (contract: KeptContract) => void;
}

export function createContractBook(
  database: DatabaseSync,
  { now, onPaid }: ContractBookOptions,
): ContractBook {
  const { run, findRow, listRows, readNumber, insert } = queryOn(database);
  const select = sql`select ${selectFields(fields)} from contract`;
  const find = (contractId: string) =>
    findRow<KeptContract>`${select} where contract_id = ${contractId}`;

  function keep(contract: KeptContract, settlement: Settlement): void {
    const { source, destination } = settlement.sides;
    const isSettled = settlement.kind === 'settled';
    const disputedMs = settlement.kind === 'disputed' ? (contract.disputedMs ?? now()) : null;
    // Within a network nothing has to be paid.
    const isFree = contract.mode === provideModes.network;
    const changed: KeptContract = {
      ...contract,
      sourceState: source.state,
      sourceBytes: source.bytes,
      destinationState: destination.state,
      destinationBytes: destination.bytes,
      disputedMs,
      closedMs: isSettled ? now() : null,
      outcome: isSettled ? 'settled' : null,
      paidBytes: isSettled && !isFree ? settlement.bytes : 0,
    };
    run`update contract set source_state = ${source.state}, source_bytes = ${source.bytes},
      destination_state = ${destination.state}, destination_bytes = ${destination.bytes},
      disputed_ms = ${disputedMs}, closed_ms = ${changed.closedMs}, outcome = ${changed.outcome},
      paid_bytes = ${changed.paidBytes} where contract_id = ${contract.contractId}`;
    if (changed.paidBytes > 0) onPaid(changed);
  }

  const has = ({ sourceId, destinationId }: Pair, such: Sql): boolean =>
    readNumber`select exists (select 1 from contract where source_id = ${sourceId}
        and destination_id = ${destinationId} and closed_ms is null and ${such})
      or exists (select 1 from contract where source_id = ${destinationId}
        and destination_id = ${sourceId} and closed_ms is null and ${such})` === 1;

  function endDispute(contract: KeptContract): Settlement {
    const sides = toSides(contract);
    return { kind: 'settled', sides, bytes: countPaid(sides, contract.byteCount) };
  }

  return {
    add: (contract) => void insert('contract', { ...contract }),
    report({ contractId, clientId, ...report }) {
      const contract = find(contractId);
      if (contract === undefined) return 'not-found';
      const isSource = contract.sourceId === clientId;
      if (!isSource && contract.destinationId !== clientId) return 'not-a-party';
      if (contract.outcome !== null) {
        // The provider's reports say what it carried for nothing; the consumer counts the same.
        const isProvider = isSource === (contract.isCompanion === 1);
        if (isProvider)
          run`update contract set late_bytes = late_bytes + ${report.bytes} where contract_id = ${contractId}`;
        return 'closed';
      }
      if (contract.disputedMs !== null) return 'disputed';
      const { source, destination } = toSides(contract);
      const sides = isSource
        ? { source: addReport(source, report), destination }
        : { source, destination: addReport(destination, report) };
      inTransaction(database, () => keep(contract, settle(sides, contract.byteCount)));
      return 'counted';
    },
    hasOrigin({ sourceId, destinationId }) {
      const since = now() - originAfterClose;
      const answered = sql`source_id = ${destinationId} and destination_id = ${sourceId}`;
      return (
        readNumber`select exists (select 1 from contract where ${answered} and closed_ms is null)
          or exists (select 1 from contract where ${answered} and closed_ms > ${since})` === 1
      );
    },
    hasClean: (pair) =>
      has(pair, sql`source_state = 'unreported' and destination_state = 'unreported'`),
    hasOpen: (pair) => has(pair, sql`true`),
    forceClose() {
      const old = listRows<KeptContract>`${select} where outcome is null
        and disputed_ms is null and created_ms < ${now() - longestOpen}`;
      const disputed = listRows<KeptContract>`${select} where outcome is null
        and disputed_ms <= ${now() - longestDispute}`;
      if (old.length + disputed.length === 0) return 0;
      inTransaction(database, () => {
        for (const one of old) keep(one, forceClose(toSides(one), one.byteCount));
        for (const one of disputed) keep(one, endDispute(one));
      });
      return old.length + disputed.length;
    },
    reservedBytes: (networkId) =>
      readNumber`select coalesce(sum(byte_count), 0) from contract
        where payer_id = ${networkId} and outcome is null and mode <> ${provideModes.network}`,
    list: (most) => listRows`${select} order by rowid desc limit ${most}`,
  };
}

function toSides(contract: KeptContract): Settlement['sides'] {
  return {
    source: { state: contract.sourceState, bytes: contract.sourceBytes },
    destination: { state: contract.destinationState, bytes: contract.destinationBytes },
  };
}
