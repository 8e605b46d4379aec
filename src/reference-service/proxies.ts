import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import type { ProvideMode } from '../service/profiles.ts';
import { toPublicKey } from '../system/wireguard-keys.ts';
import { type ClientRange, inClientRange, queryOn, selectFields, sql } from './statements.ts';

/** What a client was issued of its proxy. */
export interface IssuedProxy {
  readonly instanceId: string;
  /** Whether the HTTP and SOCKS proxies are the client's to use. */
  readonly hasUrls: boolean;
  /** What they ask for; undefined for a client without them. */
  readonly authToken: Secret | undefined;
  /** undefined where WireGuard was not requested. */
  readonly tunnel: Tunnel | undefined;
}

/** A client's end of its tunnel. */
export interface Tunnel extends KeyPair {
  /** An IPv4 address that only this tunnel has within the service. */
  readonly address: string;
}

const peerFields = 'clientId publicKey number provideMode';
interface PeerRow {
  readonly clientId: string;
  readonly publicKey: string;
  /** Counted from 1: the tunnel's address follows from it. */
  readonly number: number;
  readonly provideMode: ProvideMode;
}
/** A client's tunnel, as the service's end has to know it. */
export type TunnelPeer = Omit<PeerRow, 'number'> & Pick<Tunnel, 'address'>;

export type ProxyRequest = Readonly<Record<'needsUrls' | 'needsTunnel', boolean>>;

interface TunnelRow {
  readonly number: number;
  readonly privateKey: string;
  readonly publicKey: string;
}

interface ProxyRow {
  readonly clientId: string;
  readonly instanceId: string;
  readonly isUrlIssued: 0 | 1;
  /** null where no endpoint asks for one. */
  readonly authToken: string | null;
}

/** For a client without a tunnel, the tunnel's fields are null. */
type IssuedRow = ProxyRow & (TunnelRow | Readonly<Record<keyof TunnelRow, null>>);

/** What the clients were issued to be reached by; all of it is in the database. */
export interface Proxies {
  /** What the client was issued; undefined if nothing was. */
  find(clientId: string): IssuedProxy | undefined;
  /** What the clients of the range were issued, by client id. */
  listIn(range: ClientRange): ReadonlyMap<string, IssuedProxy>;
  /** Issues what is requested and not issued yet. What was issued once is never changed. */
  issue(clientId: string, request: ProxyRequest): void;
  /**
   * Every client with a tunnel, of every network, oldest first. Simulated clients are left out,
   * because no device is behind them.
   */
  listPeers(): readonly TunnelPeer[];
}

export function createProxies(database: DatabaseSync): Proxies {
  const { insert, run, listRows } = queryOn(database);
  const issued = sql`select ${selectFields('proxy.clientId instanceId isUrlIssued authToken number privateKey publicKey')}`;
  const withTunnel = sql`left join tunnel on tunnel.client_id = proxy.client_id`;
  const find = (clientId: string): IssuedProxy | undefined =>
    listRows<IssuedRow>`${issued} from proxy ${withTunnel} where proxy.client_id = ${clientId}`.map(
      toIssued,
    )[0];
  return {
    find,
    listIn(range) {
      const rows = listRows<IssuedRow>`${issued} from client join proxy using (client_id) ${withTunnel}
        where ${inClientRange(range)}`;
      return new Map(rows.map((row) => [row.clientId, toIssued(row)]));
    },
    issue(clientId, { needsUrls, needsTunnel }) {
      insert('proxy', { clientId, instanceId: randomUUID() }, sql`on conflict do nothing`);
      // The proxies find the client by the first half.
      const token = `${clientId}.${randomBytes(24).toString('base64url')}`;
      if (needsUrls)
        run`update proxy set is_url_issued = 1, auth_token = coalesce(auth_token, ${token}) where client_id = ${clientId}`;
      if (!needsTunnel || find(clientId)?.tunnel !== undefined) return;
      const { privateKey, publicKey } = createKeyPair();
      insert('tunnel', { clientId, privateKey: privateKey.reveal(), publicKey });
    },
    listPeers() {
      const rows = listRows<PeerRow>`select ${selectFields(peerFields)}
        from client join tunnel using (client_id) where is_simulated = 0 order by number`;
      return rows.map(({ number, ...peer }) => ({ ...peer, address: toClientAddress(number) }));
    },
  };
}

function toIssued({
  instanceId,
  isUrlIssued,
  authToken,
  number,
  privateKey,
  publicKey,
}: IssuedRow): IssuedProxy {
  return {
    instanceId,
    hasUrls: isUrlIssued === 1,
    authToken: authToken === null ? undefined : new Secret(authToken),
    tunnel:
      number === null
        ? undefined
        : { address: toClientAddress(number), privateKey: new Secret(privateKey), publicKey },
  };
}

const poolStart = 0x0a_40_00_00;
const hostsPerBlock = 254;
const blocks = 2 ** 14;

/**
 * The address of the tunnel with this number (from 1): one within 10.64.0.0/10 that does not end in
 * 0 or 255.
 */
export function toClientAddress(number: number): string {
  const block = Math.floor((number - 1) / hostsPerBlock);
  if (!Number.isSafeInteger(number) || number < 1 || block >= blocks) {
    throw new RangeError(`the pool of client addresses has no number ${number}`);
  }
  const address = poolStart + block * 256 + 1 + ((number - 1) % hostsPerBlock);
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

/** A WireGuard key pair: X25519, each key base64 of its 32 bytes. */
export interface KeyPair {
  readonly privateKey: Secret;
  readonly publicKey: string;
}

/** The key pair with these 32 bytes as its private key; by default a new one. */
export function createKeyPair(privateBytes: Buffer = randomBytes(32)): KeyPair {
  const privateKey = new Secret(privateBytes.toString('base64'));
  return { privateKey, publicKey: toPublicKey(privateKey) };
}
