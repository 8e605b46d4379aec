import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { ClientRange } from './client.ts';
import { toClientAddress } from './client-address.ts';
import { createKeyPair, type KeyPair } from './key-pair.ts';
import { prepareFind, prepareList, selectFields } from './statements.ts';

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

/** What a client asks of the proxy. */
export interface ProxyRequest {
  readonly needsToken: boolean;
  readonly needsTunnel: boolean;
}

interface IssuedRow {
  readonly clientId: string;
  readonly instanceId: string;
  readonly authToken: string | null;
  /** null without a tunnel, as the keys are then. */
  readonly number: number | null;
  readonly privateKey: string | null;
  readonly publicKey: string | null;
}

/** What was issued to whom. */
export type Proxies = ReturnType<typeof createProxies>;

/** What this database knows as issued. */
export function createProxies(database: DatabaseSync) {
  const issued = `select ${selectFields('proxy.clientId instanceId authToken number privateKey publicKey')}`;
  const findRow = prepareFind<IssuedRow, [clientId: string]>(
    database,
    `${issued} from proxy left join tunnel on tunnel.client_id = proxy.client_id where proxy.client_id = ?`,
  );
  const listRows = prepareList<IssuedRow, [range: ClientRange]>(
    database,
    `${issued} from client join proxy using (client_id) left join tunnel on tunnel.client_id = proxy.client_id
     where client.network_id = :networkId and client.sequence > :afterSequence and client.sequence <= :lastSequence`,
  );
  const insert = database.prepare('insert into proxy values (?, ?, null) on conflict do nothing');
  const setToken = database.prepare('update proxy set auth_token = ? where client_id = ? and auth_token is null');
  const insertTunnel = database.prepare('insert into tunnel (client_id, private_key, public_key) values (?, ?, ?)');
  const listPeerRows = prepareList<Omit<TunnelPeer, 'address'> & { readonly number: number }, []>(
    database,
    `select ${selectFields('clientId publicKey number provideMode')}
     from client join tunnel using (client_id) where is_simulated = 0 order by number`,
  );

  return {
    /** What the client was issued; undefined for nothing. */
    find(clientId: string): IssuedProxy | undefined {
      const row = findRow(clientId);
      return row === undefined ? undefined : toIssued(row);
    },
    /** What the clients of the range were issued, by client id. */
    listIn: (range: ClientRange) => new Map(listRows(range).map((row) => [row.clientId, toIssued(row)])),
    /** Issues what is requested and not there yet; what was issued once stays. */
    issue(clientId: string, { needsToken, needsTunnel }: ProxyRequest): void {
      insert.run(clientId, randomUUID());
      if (needsToken) setToken.run(randomBytes(24).toString('base64url'), clientId);
      if (!needsTunnel || typeof findRow(clientId)?.number === 'number') return;
      const pair = createKeyPair();
      insertTunnel.run(clientId, pair.privateKey.reveal(), pair.publicKey);
    },
    /** Every client that holds a tunnel, of every network, oldest first; simulated ones have no device behind them. */
    listPeers: (): readonly TunnelPeer[] =>
      listPeerRows().map(({ number, ...peer }) => ({ ...peer, address: toClientAddress(number) })),
  } as const;
}

function toIssued({ instanceId, authToken, number, privateKey, publicKey }: IssuedRow): IssuedProxy {
  return {
    instanceId,
    authToken: authToken === null ? undefined : new Secret(authToken),
    tunnel:
      number === null || privateKey === null || publicKey === null
        ? undefined
        : { address: toClientAddress(number), privateKey: new Secret(privateKey), publicKey },
  };
}
