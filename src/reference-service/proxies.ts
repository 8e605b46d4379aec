import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Secret } from '../lib/secret.ts';
import { toPublicKey } from '../system/wireguard-keys.ts';
import {
  type ClientRange,
  inClientRange,
  queryOn,
  type Row,
  selectFields,
  sql,
} from './statements.ts';

/** What a client was issued of its proxy. */
export type IssuedProxy = ReturnType<typeof toIssued>;

/** The address is an IPv4 address that only this tunnel has within the service. */
export type Tunnel = KeyPair & { readonly address: string };

const peerFields = 'clientId publicKey number provideMode';
export type TunnelPeer = Omit<Row<typeof peerFields>, 'number'> & Pick<Tunnel, 'address'>;

export type ProxyRequest = Readonly<Record<'needsUrls' | 'needsToken' | 'needsTunnel', boolean>>;

type TunnelRow = Row<'number privateKey publicKey'>;
/** For a client without a tunnel, the tunnel's fields are null. */
type IssuedRow = Row<'clientId instanceId isUrlIssued authToken'> &
  (TunnelRow | Readonly<Record<keyof TunnelRow, null>>);

export type Proxies = ReturnType<typeof createProxies>;

export function createProxies(database: DatabaseSync) {
  const { insert, run, listRows } = queryOn(database);
  const issued = sql`select ${selectFields('proxy.clientId instanceId isUrlIssued authToken number privateKey publicKey')}`;
  const withTunnel = sql`left join tunnel on tunnel.client_id = proxy.client_id`;
  const find = (clientId: string): IssuedProxy | undefined =>
    listRows<IssuedRow>`${issued} from proxy ${withTunnel} where proxy.client_id = ${clientId}`.map(
      toIssued,
    )[0];
  return {
    /** What the client was issued; undefined if nothing was. */
    find,
    listIn(range: ClientRange): ReadonlyMap<string, IssuedProxy> {
      const rows = listRows<IssuedRow>`${issued} from client join proxy using (client_id) ${withTunnel}
        where ${inClientRange(range)}`;
      return new Map(rows.map((row) => [row.clientId, toIssued(row)]));
    },
    /** Issues what is requested and not issued yet. What was issued once is never changed. */
    issue(clientId: string, { needsUrls, needsToken, needsTunnel }: ProxyRequest): void {
      insert('proxy', { clientId, instanceId: randomUUID() }, sql`on conflict do nothing`);
      if (needsUrls) run`update proxy set is_url_issued = 1 where client_id = ${clientId}`;
      const token = randomBytes(24).toString('base64url');
      if (needsToken)
        run`update proxy set auth_token = ${token} where client_id = ${clientId} and auth_token is null`;
      if (!needsTunnel || find(clientId)?.tunnel !== undefined) return;
      const { privateKey, publicKey } = createKeyPair();
      insert('tunnel', { clientId, privateKey: privateKey.reveal(), publicKey });
    },
    /**
     * Every client with a tunnel, of every network, oldest first. Simulated clients are left out,
     * because no device is behind them.
     */
    listPeers(): readonly TunnelPeer[] {
      const rows = listRows<Row<typeof peerFields>>`select ${selectFields(peerFields)}
        from client join tunnel using (client_id) where is_simulated = 0 order by number`;
      return rows.map(({ number, ...peer }) => ({ ...peer, address: toClientAddress(number) }));
    },
  } as const;
}

function toIssued({
  instanceId,
  isUrlIssued,
  authToken,
  number,
  privateKey,
  publicKey,
}: IssuedRow) {
  return {
    instanceId,
    hasUrls: isUrlIssued === 1,
    /** undefined where no endpoint asks for one. */
    authToken: authToken === null ? undefined : new Secret(authToken),
    /** undefined where WireGuard was not requested. */
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
export type KeyPair = ReturnType<typeof createKeyPair>;

/** The key pair with these 32 bytes as its private key; by default a new one. */
export function createKeyPair(privateBytes: Buffer = randomBytes(32)) {
  const privateKey = new Secret(privateBytes.toString('base64'));
  return { privateKey, publicKey: toPublicKey(privateKey) };
}
