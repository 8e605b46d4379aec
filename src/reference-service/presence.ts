import type { DatabaseSync } from 'node:sqlite';
import type { Backend } from './backend.ts';
import { queryOn, selectFields, sql } from './statements.ts';
import { type ClientUsage, noTraffic } from './usage.ts';

type PresenceOptions = Pick<Backend, 'usage' | 'now'> & {
  /** True where handshakes tell which of the clients with a tunnel are connected. */
  readonly hasTunnelEnd: boolean;
  /** Whether the platform has an open socket of the client, which is connected by that. */
  readonly hasSocket: (clientId: string) => boolean;
};

/** A client counts as connected for this long (ms) after it authenticated. */
const presenceMs = 180_000;
/** A question sooner than this (ms) after the last one gets the last result. */
const leastStretchMs = 1000;

/** Times are in ms since 1970. */
interface PresentClient {
  readonly clientId: string;
  readonly authenticatedMs: number;
  readonly connectedMs: number;
}

/**
 * Notes which clients are connected where no handshakes tell: those that authenticated a short
 * while ago, and those that the platform has a socket of. Simulated clients are not changed.
 */
export interface Presence {
  /**
   * Adds the time online until now to the usage book, and ends the connections that have timed out.
   * Within a second of the last sample it does nothing.
   */
  sample(): void;
  /**
   * Notes that the client authenticates now. Call it before its time of authentication is written.
   */
  noteAuthentication(clientId: string): void;
  /** Samples at once, also if the last sample was taken a moment ago. */
  sampleNow(): void;
}

/** The presence in this database; `now` is in ms since 1970. */
export function createPresence(
  database: DatabaseSync,
  { usage, hasTunnelEnd, hasSocket, now }: PresenceOptions,
): Presence {
  const { findRow, listRows, readNumber } = queryOn(database);
  const held = sql`exists (select 1 from tunnel where tunnel.client_id = client.client_id)`;
  const isOurs = hasTunnelEnd ? sql`is_simulated = 0 and not ${held}` : sql`is_simulated = 0`;
  const present = sql`select ${selectFields('client.clientId authenticatedMs connectedMs')}
    from client join connection indexed by connection_open
      on connection.client_id = client.client_id and disconnected_ms is null
    where is_online = 1 and ${isOurs}`;
  let sampledMs = now();

  function measure(
    { clientId, authenticatedMs, connectedMs }: PresentClient,
    nowMs: number,
  ): ClientUsage {
    const endMs = hasSocket(clientId) ? Number.POSITIVE_INFINITY : authenticatedMs + presenceMs;
    const atMs = Math.min(nowMs, endMs);
    const onlineMs = Math.max(0, atMs - Math.max(sampledMs, connectedMs));
    return { ...noTraffic, clientId, isConnected: nowMs < endMs, atMs, onlineMs };
  }

  function sampleNow(): void {
    const nowMs = now();
    usage.add(listRows<PresentClient>`${present}`.map((client) => measure(client, nowMs)));
    sampledMs = nowMs;
  }

  return {
    sample() {
      const sinceMs = now() - sampledMs;
      if (sinceMs < 0 || sinceMs >= leastStretchMs) sampleNow();
    },
    noteAuthentication(clientId) {
      if (readNumber`select count(*) from client where client_id = ${clientId} and ${isOurs}` === 0)
        return;
      const before = findRow<PresentClient>`${present} and client.client_id = ${clientId}`;
      const atMs = now();
      const last = before === undefined ? undefined : measure(before, atMs);
      if (last?.isConnected) return;
      if (last !== undefined) usage.add([last]);
      usage.add([{ ...noTraffic, clientId, isConnected: true, atMs }]);
    },
    sampleNow,
  };
}
