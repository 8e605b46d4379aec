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

/** What only the service's administrator can have done, because the interface does not say how: one request per order. */
export const orders = {
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

/** What each order answers. */
export interface OrderAnswers {
  /** Two ways to be the network's owner. */
  readonly createNetwork: OfNetwork & Named & { readonly networkJwt: string; readonly authCode: string };
  readonly createGuest: OfNetwork & Named & { readonly guestJwt: string };
  readonly createAuthCode: OfNetwork & Timed & { readonly authCode: string; readonly uses: number };
  /** As it would come by e-mail. */
  readonly createResetCode: OfNetwork & Timed & { readonly resetCode: string };
  readonly createAdoptCode: OfNetwork & OfClient & Timed & { readonly deviceName: string; readonly adoptCode: string };
  readonly addWallet: OfNetwork & {
    readonly walletId: string;
    readonly walletAddress: string;
    readonly isActive: boolean;
  };
  readonly locateClient: OfNetwork & OfClient & { readonly city: string; readonly country: string };
}

interface OfNetwork {
  readonly networkId: string;
}
interface Named {
  readonly networkName: string;
}
interface OfClient {
  readonly clientId: string;
}
interface Timed {
  readonly durationMinutes: number;
}

export type OrderName = keyof typeof orders;
/** An order as it is given: what has a default may be left out. */
export type OrderRequest<Name extends OrderName> = z.input<(typeof orders)[Name]>;
/** An order as it is done. */
export type CheckedOrder<Name extends OrderName> = z.output<(typeof orders)[Name]>;
