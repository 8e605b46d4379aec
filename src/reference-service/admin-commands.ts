import * as z from 'zod';

/** By id or name; the first network where it is absent. */
const network = z.string().optional();
const durationMinutes = z
  .number()
  .positive()
  .max(366 * 1440)
  .default(10);
/** Something to be shown: a line end in it would break what shows it. */
const line = z
  .string()
  .trim()
  .regex(/^\P{C}{1,200}$/u, 'it must be one line of at most 200 characters');

/** What only the service's administrator can do, because the interface does not say how: one request per command. */
export const adminCommands = {
  createNetwork: z.strictObject({ networkName: z.string(), isPublic: z.boolean().default(false) }),
  createGuest: z.strictObject({}),
  /** The limits of code-create do not hold here. */
  createAuthCode: z.strictObject({ network, durationMinutes, uses: z.int().min(1).max(1_000_000).default(1) }),
  createResetCode: z.strictObject({ network, durationMinutes }),
  /** Without a device name the client keeps its own. */
  createAdoptCode: z.strictObject({ network, clientId: z.string(), deviceName: line.optional(), durationMinutes }),
  addWallet: z.strictObject({
    network,
    walletAddress: line,
    blockchain: z.enum(['SOL', 'MATIC']).default('SOL'),
    walletType: z.enum(['external', 'managed']).default('external'),
    isActive: z.boolean().default(true),
  }),
  /** A country or region stands for its first city. */
  locateClient: z.strictObject({ network, clientId: z.string(), place: line }),
};

/** The name of a command of the administrator. */
export type AdminCommandName = keyof typeof adminCommands;
/** Its request as it is given: what has a default may be left out. */
export type AdminRequest<Name extends AdminCommandName> = z.input<(typeof adminCommands)[Name]>;
/** Its request as it is run. */
export type CheckedAdminRequest<Name extends AdminCommandName> = z.output<(typeof adminCommands)[Name]>;
