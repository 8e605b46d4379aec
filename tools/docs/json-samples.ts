import type { PlanNow } from '../../src/agent/pass/plan-now.ts';
import type { AdminCommands } from '../../src/reference-service/admin-commands.ts';
import type {
  ShownConnection,
  ShownContract,
  ShownMoney,
} from '../../src/reference-service/platform/overview.ts';
import type { ReferenceService } from '../../src/reference-service/server.ts';

/*
 * What is printed as JSON by commands of which `printed/` has no file, with every field. The
 * compiler holds the samples that have a type; flow tests print the others for real and compare.
 */

const line = [''];

export const planSample: PlanNow = {
  firewall: line,
  tunnel: line,
  settings: line,
  routing: line,
  differences: { firewall: line, tunnel: line, settings: line, routing: line },
  uplink: '',
  collision: '',
  nearEnd: '',
  isRegistered: true,
  refusal: '',
};

export const setupSample = {
  file: '',
  service: '',
  profile: '',
  mode: '',
  cap: '',
  signedIn: true,
  phase: '',
  page: '',
};

const wireguardSamples: readonly ReferenceService['wireGuard'][] = [
  { state: 'on', interface: '', backend: 'kernel', port: 0, publicKey: '' },
  { state: 'off', reason: '' },
];

export const sandboxSamples = wireguardSamples.map((wireguard) => {
  return { baseUrl: '', authCode: '', guestJwt: '', profile: '', wireguard };
});

export const consumerSamples = [
  { interface: '', provider: '', consumers: [{ clientId: '', ipv4: '', ipv6: '' }] },
  { interface: '', provider: '', consumers: [{ clientId: '', ipv4: '', ipv6: null }] },
  { upBytes: 0, downBytes: 0, contracts: 0, unpaid: 0, unsound: 0, unansweredPings: 0, sealing: 0 },
];

const connectionSample: ShownConnection = {
  clientId: '',
  networkName: '',
  description: '',
  provideMode: '',
  sockets: 0,
  connectedAt: '',
  latencyMs: 0,
  bytesPerSecond: 0,
  blocks: 0,
  validBlocks: 0,
  isListed: false,
  validOfHour: 0,
  validOfHalfDay: 0,
};
const contractSample: ShownContract = {
  contractId: '',
  kind: 'plain',
  sourceId: '',
  destinationId: '',
  byteCount: 0,
  state: 'open',
  createdAt: '',
  sourceBytes: 0,
  destinationBytes: 0,
  paidBytes: 0,
  lateBytes: 0,
};
const moneySample: ShownMoney = {
  networkId: '',
  networkName: '',
  balanceBytes: 0,
  reservedBytes: 0,
  usedBytes: 0,
  usedUsdc: 0,
  providedBytes: 0,
  earnedUsdc: 0,
};

/** What the lists of the platform print, by the command's word. */
export const platformSamples = {
  connections: [
    { connections: [connectionSample] },
    { connections: [{ ...connectionSample, latencyMs: null, bytesPerSecond: null }] },
  ],
  contracts: [{ contracts: [contractSample] }],
  money: [{ networks: [moneySample] }],
};

export const seedSample = { clients: 0, networks: 0, days: 0, seconds: 0 };

type Created = { readonly [Name in keyof AdminCommands]: Awaited<ReturnType<AdminCommands[Name]>> };
const network = { networkId: '', networkName: '' };

/** The results of the administrator's commands, by the command's name. */
export const createdSamples: Created = {
  createNetwork: { ...network, networkJwt: '', authCode: '' },
  createGuest: { ...network, guestJwt: '' },
  createAuthCode: { networkId: '', authCode: '', durationMinutes: 0, uses: 0 },
  createResetCode: { networkId: '', resetCode: '', durationMinutes: 0 },
  createAdoptCode: {
    networkId: '',
    clientId: '',
    deviceName: '',
    adoptCode: '',
    durationMinutes: 0,
  },
  addWallet: { networkId: '', walletId: '', walletAddress: '', isActive: true },
  locateClient: { networkId: '', clientId: '', city: '', country: '' },
  setBalance: { networkId: '', balanceBytes: 0 },
  drainPlatform: { refuseSeconds: 0 },
  hastenPlatform: { rate: 0 },
};
