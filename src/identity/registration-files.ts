import * as z from 'zod';
import { Secret } from '../lib/secret.ts';
import { maybe, number, text } from '../service/fields.ts';
import { createStateFile, type OnSetAside, type StateFile } from '../system/state-file.ts';

const installId = z.string().regex(/^[0-9a-f]{16}$/);
/** A secret as it lies in a state file. */
const storedSecret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

const identitySchema = z.object({
  /**
   * 16 hex digits; sent as a marker in the device spec, so that our client can be found in a list.
   */
  installId,
  /** Known as soon as the service named it; from then on nothing is ever registered. */
  clientId: maybe(z.string().min(1)),
  /** An earlier identity was broken: a client of ours may exist under a name we no longer know. */
  isUncertain: z.boolean(),
  /**
   * Marks of the machine that it lives on (`readMachine`); undefined in one of an earlier version.
   */
  machine: z.record(z.string(), z.string()).readonly().optional(),
});
/** Who this installation is: made once for a state directory, before anything is registered. */
export type Identity = Readonly<z.output<typeof identitySchema>>;

const tunnelSchema = z.object({
  text: storedSecret,
  /**
   * Structured fields beside the text, for the cross-check; undefined where the service gave none.
   */
  proxyHost: text,
  proxyPort: number,
  proxyPublicKey: text,
  privateKey: maybe(storedSecret),
  publicKey: text,
  /** With a prefix length (documented) or bare (production). */
  address: text,
});
/**
 * A tunnel as the service issued it, untouched: untrusted until `parseIssuedTunnel` has looked at
 * it.
 */
export type IssuedTunnel = Readonly<z.output<typeof tunnelSchema>>;

const registrationSchema = z.object({
  installId,
  clientId: z.string().min(1),
  clientJwt: storedSecret,
  /** As the service sent it, also 0 or worse: `chooseKeepaliveSeconds` makes sense of it. */
  keepaliveSeconds: number,
  /** undefined: none was issued so far. */
  tunnel: maybe(tunnelSchema),
  /**
   * When `clientJwt` was last written down, ISO 8601: a fresh one comes with every keep-alive, too
   * often for an SD card.
   */
  storedAt: z.string(),
  /**
   * The answer named the client, which documented ones do not (production-profile, "auth-client").
   */
  showsProduction: z.boolean().default(false),
});
/** What auth-client issued. */
export type Registration = Readonly<z.output<typeof registrationSchema>>;
/** A client of the service, and the installation that it belongs to. */
export type OwnClient = Pick<Registration, 'installId' | 'clientId'>;

const pendingCreateSchema = z.object({
  installId,
  description: z.string(),
  /** ISO 8601; for people. */
  startedAt: z.string(),
  /** Clients of the same description or marker that were there before. */
  knownClientIds: z.array(z.string()).readonly(),
  /**
   * The service said that the client exists, but not which one it is: it must be found, never made
   * again.
   */
  isAccepted: z.boolean(),
});
/** A create that is about to be sent, or was sent and not yet answered. */
export type PendingCreate = Readonly<z.output<typeof pendingCreateSchema>>;
/** undefined: nothing is under way. */
const pendingSchema = z.object({ pending: maybe(pendingCreateSchema) });

const fingerprints = z.array(z.string().regex(/^[0-9a-f]{64}$/)).readonly();
const networkJwtSchema = z.object({
  token: maybe(storedSecret),
  /** SHA-256 of auth codes that were used or refused; newest last. */
  spentCodes: fingerprints,
  /** SHA-256 of network JWTs that the service no longer takes; newest last. */
  refusedTokens: fingerprints,
  /** As in `identity.json`, which may be lost; undefined before the device was first loaded. */
  installId: installId.optional(),
});

/** What is known of the owner's tokens: the one in use, and those that must not be tried again. */
export type NetworkJwtState = Readonly<z.output<typeof networkJwtSchema>>;

export type NetworkJwtStore = StateFile<NetworkJwtState>;

export const emptyNetworkJwtState: NetworkJwtState = {
  token: undefined,
  spentCodes: [],
  refusedTokens: [],
};

/** The documents of a registration in the state directory, and the sign-in. */
export interface RegistrationFiles {
  /** Who this installation is. Written before anything is registered. */
  readonly identity: StateFile<Identity>;
  /** What the service issued; absent until it did. */
  readonly registration: StateFile<Registration>;
  /** A create that is under way: while it is there, nobody knows whether a client was made. */
  readonly pendingCreate: StateFile<z.output<typeof pendingSchema>>;
  /** The owner's token. */
  readonly networkJwt: NetworkJwtStore;
  /**
   * True while one of the first three that was set aside, by any process, lies in the directory.
   * @throws state-unreadable
   */
  hasSetAside(): Promise<boolean>;
}

/**
 * `identity.json`, `registration.json`, `pending-create.json` and `network-jwt.json` in the state
 * directory. Reads and writes nothing yet. `onSetAside` is told of each broken one that is renamed.
 */
export function createRegistrationFiles(
  directory: string,
  onSetAside: OnSetAside,
): RegistrationFiles {
  const common = { directory, onSetAside };
  const documents = {
    identity: createStateFile<Identity>({ ...common, name: 'identity', schema: identitySchema }),
    registration: createStateFile<Registration>({
      ...common,
      name: 'registration',
      schema: registrationSchema,
    }),
    pendingCreate: createStateFile({ ...common, name: 'pending-create', schema: pendingSchema }),
  };
  return {
    ...documents,
    networkJwt: createStateFile<NetworkJwtState>({
      ...common,
      name: 'network-jwt',
      schema: networkJwtSchema,
    }),
    async hasSetAside() {
      const found = await Promise.all(Object.values(documents).map((file) => file.wasSetAside()));
      return found.includes(true);
    },
  };
}

/**
 * `device_spec` on the wire: the owner's text and a marker by which this installation knows its own
 * client again.
 */
export function markDeviceSpec(spec: string, installId: string): string {
  return `${spec} [tributary:${installId}]`.trimStart();
}

/** The installation that a device spec is marked with; undefined where it carries no marker. */
export function readInstallId(deviceSpec: string | undefined): string | undefined {
  return /\[tributary:([0-9a-f]{16})\]/.exec(deviceSpec ?? '')?.[1];
}
