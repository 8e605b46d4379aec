import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../src/reference-service/database.ts';
import type { ReferenceService } from '../../src/reference-service/server.ts';
import type { OperationName } from '../../src/service/operations.ts';
import type { ProfileName } from '../../src/service/profiles.ts';
import { call, claimsOf, makeDirectory, start } from './reference-caller.ts';

/**
 * What is there to be asked for: the callers' network, and one that has nothing to do with them.
 */
export interface World {
  readonly token: string;
  readonly guestToken: string;
  /** A client's own, which lets in where a client speaks for itself. */
  readonly clientToken: string;
  /** Headers that let nobody in, some of which name the other network. */
  readonly worthless: readonly string[];
  /**
   * What the service knows, by field; ids of the other network are among it. A list that has to be
   * empty mostly knows nothing.
   */
  readonly known: Known;
  /**
   * What single operations know instead. Those that remove things have many of their own, which
   * nothing else needs.
   */
  readonly knownTo: Readonly<Partial<Record<OperationName, Known>>>;
  /** What a text may be about otherwise. */
  readonly words: readonly string[];
  readonly other: OtherNetwork;
}

type Known = Readonly<Record<string, readonly (string | number | boolean)[]>>;

/** How many there are of each thing that generated requests remove. */
const spares = 20;

/** The network that nobody calls for. */
interface OtherNetwork {
  /** A client and a wallet that callers know of, and ask for. */
  readonly known: { readonly clientId: string; readonly walletId: string };
  /** Everything that no caller was told: ids, names, tokens, keys, codes. */
  readonly markers: readonly string[];
  /** Markers that the leaderboard names. */
  readonly shownAsEarner: readonly string[];
  /** Markers that may be found: its client, where that provides to everybody. */
  readonly shownAsProvider: readonly string[];
  /** All that it sees of itself. */
  readSelf(baseUrl: string): Promise<readonly unknown[]>;
}

/** A service that ends with the test; each of its networks has provided something. */
export async function startWorld(
  profile: ProfileName,
): Promise<{ readonly baseUrl: string; readonly world: World }> {
  const directory = makeDirectory();
  const service = await start({ profile, directory });
  const world = await createWorld(service);
  await service.close();
  const database = openDatabase(directory);
  database.exec('update network set provided_bytes = 1048576');
  database.close();
  const { baseUrl } = await start({ profile, directory });
  return { baseUrl, world };
}

async function createWorld(service: ReferenceService): Promise<World> {
  const { baseUrl } = service;
  const { other, otherToken } = await createOther(service);
  const own = await service.admin.createNetwork({ networkName: 'own meadow' });
  const token = own.networkJwt;
  const { clientId, clientToken } = await register(baseUrl, token, { description: 'meadow shed' });
  // These two are in no list of ids to remove, so that there is always a client to derive from.
  const kept = await register(baseUrl, token, { description: 'meadow barn' });
  const derived = await register(baseUrl, token, {
    description: 'meadow barn, again',
    source_client_id: kept.clientId,
  });
  const { walletId } = await service.admin.addWallet({
    network: own.networkId,
    walletAddress: 'MeadowWallet',
  });
  const terms = { network: own.networkId, durationMinutes: 60 };
  const { authCode } = await service.admin.createAuthCode({ ...terms, uses: 1_000_000 });
  const { resetCode } = await service.admin.createResetCode(terms);
  const { guestJwt } = await service.admin.createGuest({});
  const adoptable = { device_name: 'meadow gate' };
  const { body: pairing } = await call(baseUrl, '/device/create-adopt-code', { body: adoptable });
  const { body: listed } = await call(baseUrl, '/network/clients', { token });
  const { locations, groups } = (await call(baseUrl, '/network/provider-locations', {})).body;
  return {
    token,
    guestToken: guestJwt,
    clientToken,
    worthless: forgeTokens(otherToken),
    known: {
      client_id: [clientId, clientId, other.known.clientId, randomUUID()],
      exclude_client_ids: [clientId, other.known.clientId],
      source_client_id: [kept.clientId, kept.clientId, kept.clientId, other.known.clientId],
      derived_client_id: [derived.clientId, derived.clientId, derived.clientId, clientId],
      // Every other answer about locks is a refusal.
      lock_caller_ip: [false],
      lock_ip_list: [],
      wallet_id: [walletId, walletId, other.known.walletId, randomUUID()],
      auth_code: [authCode],
      reset_code: [resetCode],
      password: ['correct horse battery staple'],
      code: await createShareCodes(service),
      location_id: locations.map((location: { location_id: string }) => location.location_id),
      location_group_id: groups.map(
        (group: { location_group_id: string }) => group.location_group_id,
      ),
      country_code: ['de', 'US', 'zz'],
      rank_mode: ['quality'],
      provide_mode: [0, 1, 2, 3, 4, 5],
      duration_minutes: [5, 10],
      uses: [1],
      auth_jwt: [guestJwt],
      user_auth: ['owner@service.example'],
      network_name: ['new meadow', 'new hill', 'new wood', 'third shore'],
    },
    knownTo: {
      ...(await makeSpares(service, { ...own, token, clientId: kept.clientId, other })),
      setDeviceName: {
        device_id: listed.clients.map((client: { device_id: string }) => client.device_id),
        device_name: ['meadow gate', 'meadow fence'],
      },
      adoptStatus: { adopt_code: [pairing.adopt_code] },
    },
    words: [
      'germany',
      'best',
      'fast streaming in europe',
      'berlin',
      'hidden',
      clientId,
      other.known.clientId,
    ],
    other,
  };
}

/** What generated requests may remove, and where they may have payouts sent. */
async function makeSpares(
  service: ReferenceService,
  own: Readonly<Record<'token' | 'networkId' | 'clientId', string>> & Pick<World, 'other'>,
): Promise<World['knownTo']> {
  const { token, networkId, clientId, other } = own;
  const [clients, wallets, codes]: string[][] = [[], [], []];
  for (let count = 0; count < spares; count += 1) {
    const walletAddress = `Spare${count}`;
    const body = { client_id: clientId, device_name: `spare ${count}` };
    const share = await call(service.baseUrl, '/device/create-share-code', { token, body });
    codes?.push(share.body.share_code);
    wallets?.push((await service.admin.addWallet({ network: networkId, walletAddress })).walletId);
    clients?.push(
      (await register(service.baseUrl, token, { description: body.device_name })).clientId,
    );
  }
  return {
    removeClient: { client_id: [...(clients ?? []), other.known.clientId] },
    removeWallet: { wallet_id: [...(wallets ?? []), other.known.walletId] },
    removeAssociation: { code: codes ?? [] },
    createWallet: { wallet_address: addresses, default_token_type: ['USDC'] },
  };
}

/** One of each blockchain. */
const addresses = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
];

async function createOther(service: ReferenceService) {
  const { baseUrl } = service;
  const network = await service.admin.createNetwork({ networkName: 'hidden harbour' });
  const { networkId, networkJwt: token, authCode } = network;
  const ask = async (path: string, body?: unknown) =>
    (await call(baseUrl, path, { token, body })).body;
  const { clientId: knownClientId } = await register(baseUrl, token, {
    description: 'hidden beacon',
  });
  const { answer, clientId, clientToken } = await register(baseUrl, token, {
    description: 'hidden lighthouse',
  });
  const isPublic = service.profile === 'production';
  if (!isPublic) await ask('/device/set-provide', { client_id: clientId, provide_mode: 2 });
  const terms = { network: networkId, durationMinutes: 60 };
  const { resetCode } = await service.admin.createResetCode(terms);
  const { adoptCode } = await service.admin.createAdoptCode({ ...terms, clientId });
  const known = await service.admin.addWallet({
    network: networkId,
    walletAddress: 'HiddenWallet1',
  });
  const wallet = await service.admin.addWallet({
    network: networkId,
    walletAddress: 'HiddenWallet2',
  });
  const share = await ask('/device/create-share-code', {
    client_id: clientId,
    device_name: 'hidden lamp',
  });
  const issued = answer.proxy_config_result;
  const own: readonly { readonly device_id: string }[] = (await ask('/network/clients')).clients;
  const paths = [
    '/network/clients',
    '/device/associations',
    '/account/wallets',
    '/account/payout-wallet',
  ];
  const other: OtherNetwork = {
    known: { clientId: knownClientId, walletId: known.walletId },
    markers: [
      ...[
        networkId,
        clientId,
        ...own.map((row) => row.device_id),
        wallet.walletId,
        issued.instance_id,
      ],
      ...['hidden harbour', 'hidden beacon', 'hidden lighthouse', 'hidden lamp', 'HiddenWallet'],
      ...[token, clientToken, issued.auth_token, issued.wg_config.client_private_key],
      ...[authCode, resetCode, adoptCode, share.share_code],
    ],
    shownAsEarner: [networkId],
    shownAsProvider: isPublic ? [clientId] : [],
    readSelf: (url) =>
      Promise.all(paths.map(async (path) => (await call(url, path, { token })).body)),
  };
  return { other, otherToken: token };
}

async function register(baseUrl: string, token: string, about: Record<string, string>) {
  const body = { ...about, proxy_config: { enable_wg: true, https_require_auth: true } };
  const answer = (await call(baseUrl, '/network/auth-client', { token, body })).body;
  const clientToken: string = answer.by_client_jwt;
  return { answer, clientToken, clientId: String(claimsOf(clientToken).client_id) };
}

/** Codes of a third network, which shares all it has. */
async function createShareCodes(service: ReferenceService): Promise<readonly string[]> {
  const { networkJwt: token } = await service.admin.createNetwork({ networkName: 'third shore' });
  const codes: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    // A network adds a device once.
    const device_name = `lamp ${count}`;
    const { clientId } = await register(service.baseUrl, token, { description: device_name });
    const body = { client_id: clientId, device_name };
    codes.push(
      (await call(service.baseUrl, '/device/create-share-code', { token, body })).body.share_code,
    );
  }
  return codes;
}

/**
 * The other network's token, taken apart and put together again in ways that must not pass; a
 * client's own token.
 */
function forgeTokens(token: string): readonly string[] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  const forged = [
    `${unsigned}.${payload}.`,
    `${unsigned}.${payload}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}.${signature.toLowerCase()}`,
    `${header}.${payload}`,
    `${header}.${payload}.${signature}.${signature}`,
    'null',
  ];
  return [...forged.map((text) => `Bearer ${text}`), token, `Basic ${token}`, 'Bearer', ''];
}
