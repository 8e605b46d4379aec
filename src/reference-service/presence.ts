import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import { servedNobody } from './consumer-session.ts';
import type { UsageBook } from './usage.ts';
import { type ClientUsage, noUsage } from './usage-unit.ts';

/**
 * Who is connected where no handshakes tell, because no tunnel ends here or none was issued: whoever authenticated a
 * short while ago. Simulated clients stay as they are.
 */
export interface Presence {
  /** Notes that the client authenticates now; to be told before its time of authentication is written anew. */
  noteAuthentication(clientId: string): void;
  /** Adds the time online up to now to the usage book, and ends the connections that have run out. */
  sample(): void;
  /** Stops looking by itself. */
  close(): Promise<void>;
}

interface PresenceOptions {
  readonly usage: UsageBook;
  /** True where handshakes tell of the clients that hold a tunnel. */
  readonly hasTunnelEnd: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** A client is connected for so long after it authenticated. */
const presenceMs = 180_000;
const sampleEveryMs = 5000;
/** Questions that come faster find what the last one found. */
const leastStretchMs = 1000;

/** Without counters nothing is known of traffic. */
const noTraffic = { ...noUsage, ...servedNobody };

interface PresentClient {
  readonly clientId: string;
  readonly authenticatedMs: number;
  readonly connectedMs: number;
}

/** Starts to look after the clients of this database. */
export function startPresence(database: DatabaseSync, options: PresenceOptions): Presence {
  const { usage, now, warn } = options;
  // By handshakes is told of, where there are any, whoever holds a tunnel.
  const isOurs = options.hasTunnelEnd
    ? 'not exists (select 1 from tunnel where tunnel.client_id = client.client_id)'
    : 'true';
  const present = `select client.client_id as clientId, authenticated_ms as authenticatedMs, connected_ms as connectedMs
    from client join connection indexed by connection_open
      on connection.client_id = client.client_id and disconnected_ms is null
    where is_online = 1 and is_simulated = 0 and ${isOurs}`;
  const all = database.prepare(present);
  const one = database.prepare(`${present} and client.client_id = ?`);
  const ours = database.prepare(`select 1 from client where client_id = ? and is_simulated = 0 and ${isOurs}`);
  const stop = new AbortController();
  let sampledMs = now();

  /** What the client did since the last look. */
  function toUsage({ clientId, authenticatedMs, connectedMs }: PresentClient, nowMs: number): ClientUsage {
    const endMs = authenticatedMs + presenceMs;
    const atMs = Math.min(nowMs, endMs);
    const onlineMs = Math.max(0, atMs - Math.max(sampledMs, connectedMs));
    return { ...noTraffic, clientId, isConnected: nowMs < endMs, atMs, onlineMs };
  }

  function sampleNow(): void {
    const nowMs = now();
    const clients = all.all() as unknown as readonly PresentClient[];
    usage.add(clients.map((client) => toUsage(client, nowMs)));
    sampledMs = nowMs;
  }

  function sample(): void {
    const sinceMs = now() - sampledMs;
    if (sinceMs < 0 || sinceMs >= leastStretchMs) sampleNow();
  }

  async function keepLooking(): Promise<void> {
    while (await sleep(sampleEveryMs, stop.signal)) {
      try {
        sample();
      } catch (error) {
        warn(`noting who is connected: ${messageOf(error)}`);
      }
    }
  }

  const loop = keepLooking();
  return {
    sample,
    noteAuthentication(clientId) {
      if (ours.get(clientId) === undefined) return;
      const before = one.get(clientId) as PresentClient | undefined;
      const atMs = now();
      const last = before === undefined ? undefined : toUsage(before, atMs);
      if (last?.isConnected) return;
      if (last !== undefined) usage.add([last]);
      usage.add([{ ...noTraffic, clientId, isConnected: true, atMs }]);
    },
    async close() {
      stop.abort();
      await loop;
      sampleNow();
    },
  };
}
