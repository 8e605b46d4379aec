import type { DatabaseSync } from 'node:sqlite';
import { queryOn, selectFields, sql } from '../statements.ts';
import { createBlocks } from './blocks.ts';
import { createContractBook } from './contract-book.ts';
import { toEarnings, toPrice } from './earnings.ts';
import { lookBack } from './market.ts';
import { createMoney } from './money.ts';
import { readPlatformTime } from './platform-clock.ts';

/** What the owner of a sandbox can see of the platform, beside the service or without it. */
export interface Overview {
  listConnections(): readonly ShownConnection[];
  /** The newest first. */
  listContracts(most: number): readonly ShownContract[];
  /** Networks that paid or earned something, or have something reserved. */
  listMoney(): readonly ShownMoney[];
}

/** A client with open sockets. */
export interface ShownConnection {
  readonly clientId: string;
  readonly networkName: string;
  readonly description: string;
  /** For whom it provides. */
  readonly provideMode: string;
  readonly sockets: number;
  /** RFC 3339, by the platform's clock. */
  readonly connectedAt: string;
  /** In ms; null before it was measured, as is the speed. */
  readonly latencyMs: number | null;
  readonly bytesPerSecond: number | null;
  /** Minutes of the last hour, and how many of them count for it. */
  readonly blocks: number;
  readonly validBlocks: number;
  /** Whether consumers find it. */
  readonly isListed: boolean;
  /** By which that is decided: whole minutes that count, of the last 60 and of the last 720. */
  readonly validOfHour: number;
  readonly validOfHalfDay: number;
}

export interface ShownContract {
  readonly contractId: string;
  readonly kind: 'plain' | 'companion';
  readonly sourceId: string;
  readonly destinationId: string;
  readonly byteCount: number;
  readonly state: 'open' | 'disputed' | 'settled';
  /** RFC 3339, by the platform's clock. */
  readonly createdAt: string;
  readonly sourceBytes: number;
  readonly destinationBytes: number;
  readonly paidBytes: number;
  /** Reported by the provider after the contract was closed: nobody pays for them. */
  readonly lateBytes: number;
}

export interface ShownMoney {
  readonly networkId: string;
  readonly networkName: string;
  readonly balanceBytes: number;
  readonly reservedBytes: number;
  readonly usedBytes: number;
  readonly usedUsdc: number;
  readonly providedBytes: number;
  readonly earnedUsdc: number;
}

const hourMs = 3_600_000;

export function createOverview(database: DatabaseSync): Overview {
  const { listRows, readNumber } = queryOn(database);
  const now = (): number => readPlatformTime(database);
  const book = createContractBook(database, { now, onPaid: () => undefined });
  const blocks = createBlocks(database, now);
  const money = createMoney(database);

  return {
    listConnections() {
      const rows = listRows<OpenClient>`select ${selectFields(openFields)}, count(*) as sockets,
          min(opened_ms) as openedMs, min(latency_ms) as latencyMs, max(open_socket.bytes_per_second) as bytesPerSecond,
          offer in ('public', 'network') as listed
        from open_socket join client using (client_id) join network using (network_id)
        group by client.client_id order by client.sequence`;
      return rows.map(({ openedMs, listed, ...client }) => {
        const { blocks: counted, valid } = blocks.judge(client.clientId, now() - hourMs);
        const { hour, halfDay } = lookBack(blocks, client.clientId);
        return {
          ...client,
          connectedAt: toTime(openedMs),
          blocks: counted,
          validBlocks: valid,
          isListed: listed === 1,
          validOfHour: hour,
          validOfHalfDay: halfDay,
        };
      });
    },
    listContracts: (most) =>
      book.list(most).map((contract) => ({
        contractId: contract.contractId,
        kind: contract.isCompanion === 1 ? 'companion' : 'plain',
        sourceId: contract.sourceId,
        destinationId: contract.destinationId,
        byteCount: contract.byteCount,
        state: contract.outcome ?? (contract.disputedMs === null ? 'open' : 'disputed'),
        createdAt: toTime(contract.createdMs),
        sourceBytes: contract.sourceBytes,
        destinationBytes: contract.destinationBytes,
        paidBytes: contract.paidBytes,
        lateBytes: contract.lateBytes,
      })),
    listMoney() {
      const parties = sql`select payer_id as network_id from contract union select payee_id from contract`;
      const networks = listRows<NamedNetwork>`select network_id as networkId, network_name as networkName
        from network where network_id in (${parties}) order by rowid`;
      return networks.map((network) => {
        const { networkId } = network;
        const usedBytes = readNumber`select coalesce(sum(paid_bytes), 0) from contract where payer_id = ${networkId}`;
        const providedBytes = readNumber`select coalesce(sum(paid_bytes), 0) from contract
          where payee_id = ${networkId} and paid_bytes > 0`;
        return {
          ...network,
          balanceBytes: money.balance(networkId),
          reservedBytes: book.reservedBytes(networkId),
          usedBytes,
          usedUsdc: toPrice(usedBytes),
          providedBytes,
          earnedUsdc: toEarnings(providedBytes),
        };
      });
    },
  };
}

const openFields = 'client.clientId networkName description provideMode';

type OpenClient = Pick<ShownConnection, Selected | 'sockets' | 'latencyMs' | 'bytesPerSecond'> & {
  readonly openedMs: number;
  /** Null for a client that provides to nobody. */
  readonly listed: 0 | 1 | null;
};
type Selected = 'clientId' | 'networkName' | 'description' | 'provideMode';

type NamedNetwork = Pick<ShownMoney, 'networkId' | 'networkName'>;

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
