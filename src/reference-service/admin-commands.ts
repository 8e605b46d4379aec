import * as z from 'zod';
import { mostHastened } from '../connect/socket/clock-rate.ts';
import { GIB } from '../lib/units.ts';
import { ensureOwnDirectory } from '../system/files.ts';
import { createRepositories, defaultClientLimit, type Repositories } from './backend.ts';
import type { CodeTerms } from './codes.ts';
import { openDatabase } from './database.ts';
import { findCity } from './place-search.ts';
import { servedProfiles } from './profile.ts';
import { parseBody, refuse } from './refusal.ts';

/**
 * What only the service's administrator can do, because the interface has no operation for it. What
 * a request leaves out has its default; a network is named by its id or name, and the first one is
 * meant by default. A code lasts ten minutes by default and allows one use.
 * @throws usage-invalid, from every command
 */
export interface AdminCommands {
  /** Makes a network, and two ways to be its owner. The auth code allows one sign-in. */
  createNetwork(request: {
    readonly networkName: string;
    /** False by default: only a public network's name is shown to others. */
    readonly isPublic?: boolean | undefined;
  }): Promise<NamedNetwork & { readonly networkJwt: string; readonly authCode: string }>;
  createGuest(
    request: Readonly<Record<never, never>>,
  ): Promise<NamedNetwork & { readonly guestJwt: string }>;
  /** Makes a code to sign in with. The limits of code-create do not apply here. */
  createAuthCode(
    request: ForNetwork & Partial<CodeTerms>,
  ): Promise<CodeTerms & { readonly networkId: string; readonly authCode: string }>;
  /** Makes the code to set a password with that a user would receive by e-mail. */
  createResetCode(
    request: ForNetwork & Partial<CodeLife>,
  ): Promise<CodeLife & { readonly networkId: string; readonly resetCode: string }>;
  /** Makes a code that hands the client over to the network that uses it. */
  createAdoptCode(
    request: ForNetwork &
      Partial<CodeLife> & {
        readonly clientId: string;
        /** By default the client's description. */
        readonly deviceName?: string | undefined;
      },
  ): Promise<
    CodeLife & Readonly<Record<'networkId' | 'clientId' | 'deviceName' | 'adoptCode', string>>
  >;
  /** Registers a wallet for payouts. */
  addWallet(
    request: ForNetwork & {
      readonly walletAddress: string;
      /** SOL by default. */
      readonly blockchain?: 'SOL' | 'MATIC' | undefined;
      /** `external` by default: its owner manages it. */
      readonly walletType?: 'external' | 'managed' | undefined;
      /** True by default: payouts may go there. */
      readonly isActive?: boolean | undefined;
    },
  ): Promise<
    Readonly<Record<'networkId' | 'walletId' | 'walletAddress', string>> & {
      readonly isActive: boolean;
    }
  >;
  /** Moves the client to a place; a country or region stands for its first city. */
  locateClient(
    request: ForNetwork & { readonly clientId: string; readonly place: string },
  ): Promise<Readonly<Record<'networkId' | 'clientId' | 'city' | 'country', string>>>;
  /** Says how much a network may still use of others' providers. */
  setBalance(
    request: ForNetwork & { readonly gib: number },
  ): Promise<{ readonly networkId: string; readonly balanceBytes: number }>;
  /**
   * Has the platform's host drain: connected clients are asked to come back by another socket, and
   * two minutes later the old sockets are ended.
   */
  drainPlatform(request: {
    /** For so many seconds new sockets are refused besides, which they are not by default. */
    readonly refuseSeconds?: number | undefined;
  }): Promise<{ readonly refuseSeconds: number }>;
  /**
   * Lets so many of the platform's seconds pass in one from now on; at most a thousand. It ends
   * with the service.
   */
  hastenPlatform(request: { readonly rate: number }): Promise<{ readonly rate: number }>;
}

type NamedNetwork = Readonly<Record<'networkId' | 'networkName', string>>;
type CodeLife = Pick<CodeTerms, 'durationMinutes'>;

interface ForNetwork {
  /** The id or name of a network; the first one by default. */
  readonly network?: string | undefined;
}

export type AdminCommandName = keyof AdminCommands;
/** The result in the form that `--json` prints. */
export type AdminResult = Readonly<Record<string, string | number | boolean>>;

export function createAdminCommands(repositories: Repositories): AdminCommands {
  const { networks, codes, wallets, clients, associations, tokens, world } = repositories;
  const { money, drains, hastenings } = repositories;
  /** A network by its id or name; the first network if it is absent. Afterwards it is an id. */
  const network = z
    .string()
    .optional()
    .transform((idOrName) => networks.resolve(idOrName).networkId);
  const minutes = z
    .number()
    .positive()
    .max(366 * 1440)
    .default(10);
  const clockRate = wordOf(`a whole number from 1 to ${mostHastened}`, (rate) => {
    return Number.isInteger(rate) && rate >= 1 && rate <= mostHastened;
  });
  const gib = wordOf('a number from 0 to 1000000', (amount) => amount >= 0 && amount <= 1_000_000);
  /** Text that is shown to people, so it may have no line break. */
  const line = z
    .string()
    .trim()
    .regex(/^\P{C}{1,200}$/u, 'it must be one line of at most 200 characters');

  return {
    createNetwork: createCommand(
      { networkName: z.string(), isPublic: z.boolean().default(false) },
      async ({ networkName, isPublic }) => {
        const created = networks.create(networkName, { isPublic });
        const { networkId } = created;
        const authCode = codes.issue('login', networkId, { durationMinutes: 10, uses: 1 });
        return { networkId, networkName, networkJwt: await tokens.signNetwork(created), authCode };
      },
    ),
    createGuest: createCommand({}, async () => {
      const guest = networks.createGuest();
      const { networkId, networkName } = guest;
      return { networkId, networkName, guestJwt: await tokens.signNetwork(guest) };
    }),
    createAuthCode: createCommand(
      { network, durationMinutes: minutes, uses: z.int().min(1).max(1_000_000).default(1) },
      ({ network: networkId, ...terms }) => ({
        networkId,
        authCode: codes.issue('login', networkId, terms),
        ...terms,
      }),
    ),
    createResetCode: createCommand(
      { network, durationMinutes: minutes },
      ({ network: networkId, durationMinutes }) => {
        const resetCode = codes.issue('reset', networkId, { durationMinutes, uses: 1 });
        return { networkId, resetCode, durationMinutes };
      },
    ),
    createAdoptCode: createCommand(
      { network, clientId: z.string(), deviceName: line.optional(), durationMinutes: minutes },
      ({ network: networkId, clientId, durationMinutes, ...given }) => {
        const deviceName =
          given.deviceName ?? (clients.find(networkId, clientId)?.description || 'device');
        const adoptCode = associations.createAdoptCode({
          networkId,
          clientId,
          deviceName,
          durationMinutes,
        });
        return { networkId, clientId, deviceName, adoptCode, durationMinutes };
      },
    ),
    addWallet: createCommand(
      {
        network,
        walletAddress: line,
        blockchain: z.enum(['SOL', 'MATIC']).default('SOL'),
        walletType: z.enum(['external', 'managed']).default('external'),
        isActive: z.boolean().default(true),
      },
      ({ network: networkId, isActive, ...wallet }) => {
        const { walletId, walletAddress } = wallets.add({
          networkId,
          active: Number(isActive),
          ...wallet,
        });
        return { networkId, walletId, walletAddress, isActive };
      },
    ),
    locateClient: createCommand(
      { network, clientId: z.string(), place: line },
      ({ network: networkId, clientId, place }) => {
        if (clients.find(networkId, clientId) === undefined)
          throw refuse(`The network has no client ${clientId}.`);
        const found = findCity(world, place);
        clients.move(clientId, found);
        return { networkId, clientId, city: found.city, country: found.country };
      },
    ),
    setBalance: createCommand({ network, gib: gib }, ({ network: networkId, gib }) => {
      const balanceBytes = Math.floor(gib * GIB);
      money.setBalance(networkId, balanceBytes);
      return { networkId, balanceBytes };
    }),
    drainPlatform: createCommand(
      { refuseSeconds: z.number().min(0).max(86_400).default(0) },
      ({ refuseSeconds }) => {
        drains.add({ refuseSeconds });
        return { refuseSeconds };
      },
    ),
    hastenPlatform: createCommand({ rate: clockRate }, ({ rate }) => {
      hastenings.add({ rate });
      return { rate };
    }),
  };
}

/** A number that was typed as a word; what may be typed is told in a person's words. */
function wordOf(allowed: string, isAllowed: (amount: number) => boolean) {
  return z.coerce.number().refine(isAllowed, `it must be ${allowed}`);
}

function createCommand<Shape extends z.ZodRawShape, Answer>(
  shape: Shape,
  run: (request: z.output<z.ZodObject<Shape, z.core.$strict>>) => Answer | Promise<Answer>,
) {
  const schema = z.strictObject(shape);
  return async (request: z.input<typeof schema>): Promise<Answer> =>
    await run(parseBody(schema, request, 'the command'));
}

/**
 * Runs a command on a directory's database, while a service uses it or not.
 * @throws state-unreadable, state-unwritable, usage-invalid
 */
export async function administer(
  directory: string,
  name: AdminCommandName,
  request: unknown,
): Promise<AdminResult> {
  await ensureOwnDirectory(directory);
  using database = openDatabase(directory);
  // The profile is chosen when the service starts. Codes of letters and digits fit every profile.
  const options = {
    profile: servedProfiles.documented,
    clientLimit: defaultClientLimit,
    now: Date.now,
  };
  return await createAdminCommands(createRepositories(database, options))[name](request as never);
}
