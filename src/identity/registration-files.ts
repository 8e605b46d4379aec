import * as z from 'zod';
import { Secret } from '../lib/secret.ts';
import { maybe, number, text } from '../service/fields.ts';
import { createPatientWriter, type PatientWriter } from '../system/patient-writer.ts';
import { createStateFile, type OnSetAside, type StateFile } from '../system/state-file.ts';

const installId = z.string().regex(/^[0-9a-f]{16}$/);
/** A secret as a state file holds it. */
const storedSecret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

const identitySchema = z.object({
  /**
   * 16 hex digits. They are sent as a marker in the device spec, so that our client can be found in
   * a list.
   */
  installId,
  /**
   * Set as soon as the service has named the client. From then on nothing is ever registered again.
   */
  clientId: maybe(z.string().min(1)),
  /**
   * True if an earlier identity was broken: a client of ours may exist under an id that we no
   * longer know.
   */
  isUncertain: z.boolean(),
  /**
   * Marks of the machine that it belongs to (`readMachine`); undefined in files of an earlier
   * version.
   */
  machine: z.record(z.string(), z.string()).readonly().optional(),
});
/**
 * Who this installation is. It is made once for a state directory, before anything is registered.
 */
export type Identity = Readonly<z.output<typeof identitySchema>>;

const tunnelSchema = z.object({
  text: storedSecret,
  /** Fields beside the text, to compare it with; undefined where the service sent none. */
  proxyHost: text,
  proxyPort: number,
  proxyPublicKey: text,
  privateKey: maybe(storedSecret),
  publicKey: text,
  /** With a prefix length (documented) or without (production). */
  address: text,
});
/**
 * A tunnel exactly as the service issued it. It is not trusted before `parseIssuedTunnel` has
 * checked it.
 */
export type IssuedTunnel = Readonly<z.output<typeof tunnelSchema>>;

/** What an answer without a tunnel said. */
const unissuedSchema = z.object({
  /** The service's own words; undefined where it gave no reason. */
  said: text,
  /** True if the owner's plan does not include a tunnel. */
  needsUpgrade: z.boolean(),
});
export type Unissued = Readonly<z.output<typeof unissuedSchema>>;

const registrationSchema = z.object({
  installId,
  clientId: z.string().min(1),
  clientJwt: storedSecret,
  /** As the service sent it, also 0 or worse: `chooseRenewSeconds` makes sense of it. */
  renewSeconds: number,
  /** undefined while none was issued. */
  tunnel: maybe(tunnelSchema),
  /** Why none was issued; undefined with a tunnel, and in files of an earlier version. */
  unissued: unissuedSchema.optional(),
  /**
   * When `clientJwt` was last written, ISO 8601. Every renewal brings a new one, which is too often
   * for an SD card.
   */
  storedAt: z.string(),
  /**
   * True if the answer named the client, which documented services do not do (production-profile,
   * "auth-client").
   */
  showsProduction: z.boolean().default(false),
  /**
   * Other clients with the marker of this installation, as the list last showed them; absent
   * without any. Only a look by the owner's token shows them, so they are kept.
   */
  otherClientIds: z.array(z.string()).readonly().optional(),
});
/** A client of this device at the service, whatever was issued to it. */
export type Registration = Readonly<z.output<typeof registrationSchema>>;
/** What the service issued to a registered device: a tunnel, or why it issued none. */
export type Issuance = Pick<Registration, 'tunnel' | 'unissued'>;
/** A client of the service, and the installation that it belongs to. */
export type OwnClient = Pick<Registration, 'installId' | 'clientId'>;

const pendingCreateSchema = z.object({
  installId,
  description: z.string(),
  /** ISO 8601; for people only. */
  startedAt: z.string(),
  /** Clients with our description or marker that existed before. */
  knownClientIds: z.array(z.string()).readonly(),
  /** How much of the list could not be read before. More of it afterwards may be our client. */
  unreadRows: z.int().nonnegative().optional(),
  /**
   * True if the service said that the client exists, but not which one it is. It has to be found
   * and must not be made again.
   */
  isAccepted: z.boolean(),
  /** True once it was sent and its answer was lost: the service may still be at it. */
  isUnclear: z.literal(true).optional(),
});
/** A create that is about to be sent, or was sent and is not answered yet. */
export type PendingCreate = Readonly<z.output<typeof pendingCreateSchema>>;
/** undefined while no create is under way. */
const pendingSchema = z.object({ pending: maybe(pendingCreateSchema) });

const fingerprints = z.array(z.string().regex(/^[0-9a-f]{64}$/)).readonly();
const networkJwtSchema = z.object({
  /** What the device asks by; undefined while it is signed out. */
  token: maybe(storedSecret),
  /**
   * Whose `token` is. A device's own opens this device alone; its owner's opens the whole account.
   */
  holder: z.enum(['owner', 'device']).default('owner'),
  /** When the device's own token was written, ISO 8601; undefined for its owner's. */
  takenAt: z.string().optional(),
  /**
   * The owner's token beside the device's own, for commands that ask for the network; undefined
   * once it is no longer kept.
   */
  ownerToken: storedSecret.optional(),
  /** SHA-256 of auth codes that were used or refused; newest last. */
  spentCodes: fingerprints,
  /** SHA-256 of network JWTs that the service no longer accepts; newest last. */
  refusedTokens: fingerprints,
  /**
   * The id of `identity.json`, in case that file is lost; undefined before the device was first
   * loaded.
   */
  installId: installId.optional(),
});

/**
 * What is known of the tokens: the ones in use, and the ones that must not be tried again.
 */
export type NetworkJwtState = Readonly<z.output<typeof networkJwtSchema>>;

export type NetworkJwtStore = StateFile<NetworkJwtState>;

export const emptyNetworkJwtState: NetworkJwtState = {
  token: undefined,
  holder: 'owner',
  spentCodes: [],
  refusedTokens: [],
};

/** The documents of a registration in the state directory, and the sign-in. */
export interface RegistrationFiles {
  /** Who this installation is. Written before anything is registered. */
  readonly identity: StateFile<Identity>;
  /** The client, and what was issued to it; missing before the service made the client. */
  readonly registration: StateFile<Registration>;
  /** Writes `registration` while what was issued is in use already. */
  readonly renewed: PatientWriter<Registration>;
  /** A create that is under way. While this exists, it is unknown whether a client was made. */
  readonly pendingCreate: StateFile<z.output<typeof pendingSchema>>;
  /** What the device signs in with. */
  readonly networkJwt: NetworkJwtStore;
  /**
   * True while the directory holds one of the first three documents that any process has set aside.
   * @throws state-unreadable
   */
  hasSetAside(): Promise<boolean>;
}

/**
 * `identity.json`, `registration.json`, `pending-create.json` and `network-jwt.json` in the state
 * directory. Nothing is read or written yet. `onSetAside` is called for each broken one that is
 * renamed.
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
    renewed: createPatientWriter(documents.registration),
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
 * `device_spec` on the wire: the owner's text and a marker by which this installation recognizes
 * its client.
 */
export function markDeviceSpec(spec: string, installId: string): string {
  return `${spec} [tributary:${installId}]`.trimStart();
}

/** The installation in the marker of a device spec; undefined without a marker. */
export function readInstallId(deviceSpec: string | undefined): string | undefined {
  return /\[tributary:([0-9a-f]{16})\]/.exec(deviceSpec ?? '')?.[1];
}
