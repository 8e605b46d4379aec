import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import type { ProvideMode } from '../service/profiles.ts';
import { toClientAddress } from './client-address.ts';
import type { ClientRange } from './client-pages.ts';
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
  /** What the clients of the range were issued, by client id. */
  listIn(range: ClientRange): ReadonlyMap<string, IssuedProxy>;
  /** Every client that holds a tunnel, of every network, oldest first; simulated ones have nobody at the other end. */
  listPeers(): readonly TunnelPeer[];
}

const issued = `select proxy.client_id as clientId, instance_id as instanceId, auth_token as authToken, number,
  private_key as privateKey, public_key as publicKey from`;

/** What this database knows as issued. */
export function createProxies(database: DatabaseSync): Proxies {
  const byClient = database.prepare(
    `${issued} proxy left join tunnel on tunnel.client_id = proxy.client_id where proxy.client_id = ?`,
  );
  const ofRange = database.prepare(
    `${issued} client join proxy using (client_id) left join tunnel on tunnel.client_id = proxy.client_id
     where client.network_id = ? and client.sequence > ? and client.sequence <= ?`,
  );
  const insert = database.prepare('insert into proxy values (?, ?, null) on conflict do nothing');
  const setToken = database.prepare('update proxy set auth_token = ? where client_id = ? and auth_token is null');
  const insertTunnel = database.prepare('insert into tunnel (client_id, private_key, public_key) values (?, ?, ?)');
  const peers = database.prepare(
    `select client_id as clientId, public_key as publicKey, number, provide_mode as provideMode
     from client join tunnel using (client_id) where is_simulated = 0 order by number`,
  );

  const find = (clientId: string) => {
    const row = byClient.get(clientId);
    return row === undefined ? undefined : toIssued(row);
  };
  return {
    find,
    listIn({ networkId, afterSequence, lastSequence }) {
      const rows = ofRange.all(networkId, afterSequence, lastSequence);
      return new Map(rows.map((row) => [String(row.clientId), toIssued(row)]));
    },
    issue(clientId, wish) {
      insert.run(clientId, randomUUID());
      if (wish.needsToken) setToken.run(randomBytes(24).toString('base64url'), clientId);
      if (!wish.needsTunnel || find(clientId)?.tunnel !== undefined) return;
      const pair = createKeyPair();
      insertTunnel.run(clientId, pair.privateKey.reveal(), pair.publicKey);
    },
    listPeers: () =>
      peers.all().map(({ number, ...row }) => ({ ...row, address: toClientAddress(Number(number)) })) as TunnelPeer[],
  };
}

function toIssued(row: Readonly<Record<string, SQLOutputValue>>): IssuedProxy {
  const { instanceId, authToken, number, privateKey, publicKey } = row;
  return {
    instanceId: String(instanceId),
    authToken: typeof authToken === 'string' ? new Secret(authToken) : undefined,
    tunnel:
      number === null
        ? undefined
        : {
            address: toClientAddress(Number(number)),
            privateKey: new Secret(String(privateKey)),
            publicKey: String(publicKey),
          },
  };
}
