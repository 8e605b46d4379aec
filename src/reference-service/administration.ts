import {
  type AdminCommandName,
  type AdminRequest,
  adminCommands,
  type CheckedAdminRequest as Checked,
} from './admin-commands.ts';
import { refuse } from './refusal.ts';
import type { Repositories } from './repositories.ts';

/** One function per command of the administrator, for requests that were checked. All throw usage-invalid. */
export type Administration = ReturnType<typeof createAdministration>;

/** What a command answers. */
export type AdminAnswer<Name extends AdminCommandName> = Awaited<ReturnType<Administration[Name]>>;

/** Checks a command and runs it. @throws usage-invalid */
export type Administer = <Name extends AdminCommandName>(
  name: Name,
  request: AdminRequest<Name>,
) => Promise<AdminAnswer<Name>>;

type Commands = { readonly [Name in AdminCommandName]: (request: Checked<Name>) => object };

/** The administration of these repositories. */
export function createAdministration(repositories: Repositories) {
  const { networks, authCodes, passwords, wallets, clients, associations, tokens, directory } = repositories;
  const resolveId = (network: string | undefined) => networks.resolve(network).networkId;
  return {
    /** Answers two ways to be the network's owner. */
    async createNetwork({ networkName, isPublic }) {
      const network = networks.create(networkName, { isPublic });
      const { networkId } = network;
      const authCode = authCodes.issue(networkId, { durationMinutes: 10, uses: 1 });
      return { networkId, networkName, networkJwt: await tokens.signNetwork(network), authCode };
    },
    async createGuest() {
      const guest = networks.createGuest();
      const { networkId, networkName } = guest;
      return { networkId, networkName, guestJwt: await tokens.signNetwork(guest) };
    },
    createAuthCode({ network, ...terms }) {
      const networkId = resolveId(network);
      return { networkId, authCode: authCodes.issue(networkId, terms), ...terms };
    },
    /** The code is as it would come by e-mail. */
    createResetCode({ network, durationMinutes }) {
      const networkId = resolveId(network);
      return { networkId, resetCode: passwords.issueResetCode(networkId, durationMinutes), durationMinutes };
    },
    createAdoptCode({ network, clientId, durationMinutes, ...given }) {
      const networkId = resolveId(network);
      const deviceName = given.deviceName ?? (clients.find(networkId, clientId)?.description || 'device');
      const adoption = { networkId, clientId, deviceName, durationMinutes };
      return { networkId, clientId, deviceName, adoptCode: associations.createAdoptCode(adoption), durationMinutes };
    },
    addWallet({ network, isActive, ...wallet }) {
      const networkId = resolveId(network);
      const { walletId, walletAddress } = wallets.add({ networkId, active: Number(isActive), ...wallet });
      return { networkId, walletId, walletAddress, isActive };
    },
    locateClient({ network, clientId, place }) {
      const networkId = resolveId(network);
      if (clients.find(networkId, clientId) === undefined) throw refuse(`The network has no client ${clientId}.`);
      const { city, country } = directory.locate(clientId, place);
      return { networkId, clientId, city, country };
    },
  } satisfies Commands;
}

/** Checks a command that came from anywhere, and runs it. @throws usage-invalid */
export async function runAdminCommand<Name extends AdminCommandName>(
  administration: Administration,
  name: Name,
  request: unknown,
): Promise<AdminAnswer<Name>> {
  const parsed = adminCommands[name].safeParse(request);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw refuse(`${issue?.path.join('.') || 'the command'}: ${issue?.message}`);
  }
  // The table says what the request is; the compiler cannot follow a name that it has not got.
  const run = administration[name] as (checked: unknown) => AdminAnswer<Name> | Promise<AdminAnswer<Name>>;
  return run(parsed.data);
}

/** True for the name of a command. */
export function isAdminCommand(name: string): name is AdminCommandName {
  return Object.hasOwn(adminCommands, name);
}
