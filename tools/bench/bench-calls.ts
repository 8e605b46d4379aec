import * as z from 'zod';
import type { Operation } from '../../src/service/operation.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { LabError } from '../lab/lab-error.ts';
import type { SandboxWorld } from './sandbox-world.ts';

/** Calls operations of one world's service, as the owner of its first network. */
export interface WorldCaller {
  readonly networkJwt: string;
  /** The process id of the service. */
  readonly pid: number;
  /**
   * Calls the operation. Resolves with the ms to the last byte of the answer.
   * @throws LabError for a bad answer
   */
  measure(name: OperationName): Promise<number>;
  /** The request of this operation with the wire's names, as the service gets it. */
  toWire(name: OperationName): WireRequest;
}

/** A request for undici, and the service that it is sent to. */
export interface WireRequest {
  readonly baseUrl: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What one call leaves for the next. */
interface Hand {
  authCode: string;
  shareCode: string;
}

/** What exists before the first call. */
interface Setting {
  readonly networkJwt: string;
  /** The token of another network. */
  readonly neighbourJwt: string;
  readonly neighbourName: string;
  readonly guestJwt: string;
  readonly clientId: string;
  readonly walletId: string;
}

/**
 * The request of each operation. Some are measured by a refusal that looks up what can grow,
 * because a client can be removed, a password set and a guest's network upgraded only once.
 */
const requests: Readonly<Record<OperationName, (setting: Setting, hand: Hand) => unknown>> = {
  authClient: ({ clientId }) => ({ client_id: clientId, description: 'bench' }),
  findProviders2: () => ({ specs: [{ best_available: true }], count: 20 }),
  findProviders: () => ({ count: 20 }),
  findLocations: () => ({ query: 'germny', enable_max_distance_fraction: true }),
  findProviderLocations: () => ({ query: 'germny', enable_max_distance_fraction: true }),
  providerLocations: () => undefined,
  createProviderSpec: () => ({ query: 'fast streaming in Germany' }),
  clients: () => undefined,
  removeClient: () => ({ client_id: 'none' }),
  reliability: () => undefined,
  codeCreate: () => ({}),
  codeLogin: (_, { authCode }) => ({ auth_code: authCode }),
  refreshToken: () => undefined,
  passwordLogin: () => ({ user_auth: 'nobody@example.com', password: 'a long password' }),
  verifySend: () => ({ user_auth: 'nobody@example.com' }),
  verify: () => ({ user_auth: 'nobody@example.com', verify_code: 'none' }),
  passwordReset: () => ({ user_auth: 'nobody@example.com' }),
  passwordSet: () => ({ reset_code: 'none', password: 'a long password' }),
  upgradeGuest: ({ neighbourName }) => ({
    user_auth: 'owner@example.com',
    network_name: neighbourName,
    password: 'a long password',
  }),
  createShareCode: ({ clientId }) => ({ client_id: clientId, device_name: 'bench' }),
  deviceAdd: (_, { shareCode }) => ({ code: shareCode }),
  deviceAssociations: () => undefined,
  confirmShare: () => ({ share_code: 'none', associated_network_name: 'none' }),
  removeAssociation: () => ({ code: 'none' }),
  setDeviceName: () => ({ device_id: 'none', device_name: 'bench' }),
  createAdoptCode: () => ({ device_name: 'bench' }),
  adoptStatus: () => ({ adopt_code: 'none' }),
  confirmAdopt: () => ({
    adopt_code: 'none',
    adopt_secret: 'none',
    associated_network_name: 'none',
  }),
  setProvide: ({ clientId }) => ({ client_id: clientId, provide_mode: 4 }),
  providers: () => undefined,
  providersLastN: () => ({ last_n: 24 }),
  providerLastN: ({ clientId }) => ({ client_id: clientId, last_n: 24 }),
  providerLast90: ({ clientId }) => ({ client_id: clientId }),
  leaderboard: () => ({}),
  wallets: () => undefined,
  createWallet: () => ({
    blockchain: 'MATIC',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
  }),
  validateAddress: () => ({ address: 'none', chain: 'SOL' }),
  removeWallet: () => ({ wallet_id: 'none' }),
  payments: () => undefined,
  points: () => undefined,
  transferStats: () => undefined,
  payoutWallet: () => undefined,
  setPayoutWallet: ({ walletId }) => ({ wallet_id: walletId }),
};
const refused: readonly OperationName[] = [
  'removeClient',
  'passwordLogin',
  'verify',
  'passwordSet',
  'upgradeGuest',
  'confirmShare',
  'removeAssociation',
  'setDeviceName',
  'adoptStatus',
  'confirmAdopt',
  'removeWallet',
];

const answer = z.object({
  auth_code: z.string().optional(),
  by_jwt: z.string().optional(),
  share_code: z.string().optional(),
  error: z.object({ message: z.string() }).nullish(),
});
const listed = z.object({ clients: z.tuple([z.object({ client_id: z.string() })], z.unknown()) });

/** Signs in to the world's service. @throws LabError */
export async function createWorldCaller(world: SandboxWorld): Promise<WorldCaller> {
  const { baseUrl } = world;
  const ask = async (name: OperationName, request: unknown, token: string | undefined) =>
    send(toWireRequest(baseUrl, name, { request, token }));
  const networkJwt =
    (await ask('codeLogin', { auth_code: world.authCode }, undefined)).body.by_jwt ?? '';
  const neighbour = z
    .object({ networkName: z.string(), networkJwt: z.string() })
    .parse(await world.order('network', 'bench neighbour'));
  const wallet = z
    .object({ walletId: z.string() })
    .parse(await world.order('wallet', 'So1anaAddress1111111111111111111'));
  const { clients } = listed.parse(JSON.parse((await ask('clients', undefined, networkJwt)).text));
  const setting = {
    networkJwt,
    neighbourJwt: neighbour.networkJwt,
    neighbourName: neighbour.networkName,
    guestJwt: world.guestJwt,
    clientId: clients[0].client_id,
    walletId: wallet.walletId,
  };
  const hand: Hand = { authCode: '', shareCode: '' };
  const toWire = (name: OperationName) =>
    toWireRequest(baseUrl, name, {
      request: requests[name](setting, hand),
      token: chooseToken(name, setting),
    });
  return {
    networkJwt,
    pid: world.pid,
    toWire,
    async measure(name) {
      const { durationMs, body } = await send(toWire(name));
      if ((body.error?.message !== undefined) !== refused.includes(name)) {
        throw new LabError(`${operations[name].path}: ${body.error?.message ?? 'not refused'}`);
      }
      hand.authCode = body.auth_code ?? hand.authCode;
      hand.shareCode = body.share_code ?? hand.shareCode;
      // A device is shared with a network once, so the next call could not add it again.
      if (name === 'deviceAdd')
        await ask('removeAssociation', { code: hand.shareCode }, networkJwt);
      return durationMs;
    },
  };
}

/** The token to use: what is added to a network comes from another network. */
function chooseToken(
  name: OperationName,
  { networkJwt, neighbourJwt, guestJwt }: Setting,
): string | undefined {
  if (name === 'deviceAdd') return neighbourJwt;
  if (operations[name].authentication === 'none') return undefined;
  return operations[name].authentication === 'guest-jwt' ? guestJwt : networkJwt;
}

function toWireRequest(
  baseUrl: string,
  name: OperationName,
  { request, token }: { readonly request: unknown; readonly token: string | undefined },
): WireRequest {
  const { method, path }: Operation = operations[name];
  const headers: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    baseUrl,
    method,
    path,
    headers,
    ...(request === undefined ? {} : { body: JSON.stringify(request) }),
  };
}

/** Sends the request and reads the whole answer. @throws LabError */
async function send({ baseUrl, path, ...request }: WireRequest) {
  const startedMs = performance.now();
  const response = await fetch(`${baseUrl}${path}`, request);
  const text = await response.text();
  const durationMs = performance.now() - startedMs;
  if (response.status !== 200) throw new LabError(`${path}: status ${response.status}: ${text}`);
  return { durationMs, text, body: answer.parse(JSON.parse(text)) };
}
