import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import type { ProvideMode } from '../service/profiles.ts';
import { toClientAddress } from './client-address.ts';
import { createKeyPair, type KeyPair } from './key-pair.ts';

/** What a client was issued of the proxy; without a tunnel where WireGuard was not asked for. */
export interface IssuedProxy {
  readonly instanceId: string;
  /** undefined where no endpoint requires one. */
  readonly authToken: Secret | undefined;
  readonly tunnel: Tunnel | undefined;
}

/** A client's end of its tunnel. */
export interface Tunnel extends KeyPair {
  /** IPv4, its own within the service. */
  readonly address: string;
}

/** A client as the WireGuard end sees it. */
export interface TunnelPeer {
  readonly clientId: string;
  readonly publicKey: string;
  readonly address: string;
  readonly provideMode: ProvideMode;
}

/** What is asked of the proxy. */
export interface ProxyWish {
  readonly needsToken: boolean;
  readonly needsTunnel: boolean;
}

/** What was issued to whom. */
export interface Proxies {
  /** What the client was issued; undefined for nothing. */
  find(clientId: string): IssuedProxy | undefined;
  /** Issues what is wished for and not there yet; what was issued once stays. */
  issue(clientId: string, wish: ProxyWish): void;
  /** Every client that holds a tunnel, of every network, oldest first. */
  listPeers(): readonly TunnelPeer[];
}

/** What this database knows as issued. */
export function createProxies(database: DatabaseSync): Proxies {
  const byClient = database.prepare('select instance_id, auth_token from proxy where client_id = ?');
  const insert = database.prepare('insert into proxy values (?, ?, null) on conflict do nothing');
  const setToken = database.prepare('update proxy set auth_token = ? where client_id = ? and auth_token is null');
  const tunnelOf = database.prepare('select number, private_key, public_key from tunnel where client_id = ?');
  const insertTunnel = database.prepare('insert into tunnel (client_id, private_key, public_key) values (?, ?, ?)');
  const peers = database.prepare(
    `select client_id, public_key, number, provide_mode from tunnel join client using (client_id) order by number`,
  );

  function findTunnel(clientId: string): Tunnel | undefined {
    const row = tunnelOf.get(clientId);
    if (row === undefined) return undefined;
    return {
      address: toClientAddress(Number(row.number)),
      privateKey: new Secret(String(row.private_key)),
      publicKey: String(row.public_key),
    };
  }
  return {
    find(clientId) {
      const row = byClient.get(clientId);
      if (row === undefined) return undefined;
      const token = row.auth_token;
      const authToken = typeof token === 'string' ? new Secret(token) : undefined;
      return { instanceId: String(row.instance_id), authToken, tunnel: findTunnel(clientId) };
    },
    issue(clientId, wish) {
      insert.run(clientId, randomUUID());
      if (wish.needsToken) setToken.run(randomBytes(24).toString('base64url'), clientId);
      if (!wish.needsTunnel || findTunnel(clientId) !== undefined) return;
      const pair = createKeyPair();
      insertTunnel.run(clientId, pair.privateKey.reveal(), pair.publicKey);
    },
    listPeers: () =>
      peers.all().map((row) => ({
        clientId: String(row.client_id),
        publicKey: String(row.public_key),
        address: toClientAddress(Number(row.number)),
        provideMode: row.provide_mode as ProvideMode,
      })),
  };
}
