import * as z from 'zod';
import { Secret } from '../lib/secret.ts';
import { maybe, number, text } from '../service/fields.ts';
import { createStateFile, type OnSetAside, type StateFile } from '../system/state-file.ts';
import type { IssuedTunnel } from '../tunnel/issued.ts';

/** Who this installation is: made once for a state directory, before anything is registered. */
export interface Identity {
  /** 16 hex digits; sent as a marker in the device spec, so that our client can be found in a list. */
  readonly installId: string;
  /** Known as soon as the service named it; from then on nothing is ever registered. */
  readonly clientId: string | undefined;
  /** An earlier identity was broken: a client of ours may exist under a name we no longer know. */
  readonly isUncertain: boolean;
}

/** What auth-client issued. */
export interface Registration {
  readonly installId: string;
  readonly clientId: string;
  readonly clientJwt: Secret;
  /** As the service sent it, also 0 or worse: `chooseKeepaliveSeconds` makes sense of it. */
  readonly keepaliveSeconds: number | undefined;
  /** undefined: none was issued so far. */
  readonly tunnel: IssuedTunnel | undefined;
  /** When `clientJwt` was last written down, ISO 8601: a fresh one comes with every keep-alive, too often for an SD card. */
  readonly storedAt: string;
  /** The answer named the client, which documented ones do not (production-profile, "auth-client"). */
  readonly showsProduction: boolean;
}

/** A create that is about to be sent, or was sent and not yet answered. */
export interface PendingCreate {
  readonly installId: string;
  readonly description: string;
  /** ISO 8601; for people. */
  readonly startedAt: string;
  /** Clients of the same description or marker that were there before. */
  readonly knownClientIds: readonly string[];
  /** The service said that the client exists, but not which one it is: it must be found, never made again. */
  readonly isAccepted: boolean;
}

/** The three documents of a registration in the state directory. */
export interface RegistrationFiles {
  readonly identity: StateFile<Identity>;
  readonly registration: StateFile<Registration>;
  readonly pendingCreate: StateFile<PendingDocument>;
  /** True while one that was set aside, by any process, lies in the directory. @throws state-unreadable */
  hasSetAside(): Promise<boolean>;
}

/** undefined: nothing is under way. */
interface PendingDocument {
  readonly pending: PendingCreate | undefined;
}

/** `identity.json`, `registration.json`, `pending-create.json`. */
export function createRegistrationFiles(directory: string, onSetAside: OnSetAside): RegistrationFiles {
  const common = { directory, onSetAside };
  const files = {
    identity: createStateFile({ ...common, name: 'identity', schema: identitySchema }),
    registration: createStateFile({
      ...common,
      name: 'registration',
      schema: registrationSchema,
      toJson: toRegistrationJson,
    }),
    pendingCreate: createStateFile({ ...common, name: 'pending-create', schema: pendingCreateSchema }),
  };
  return {
    ...files,
    async hasSetAside() {
      const found = await Promise.all(Object.values(files).map((file) => file.wasSetAside()));
      return found.includes(true);
    },
  };
}

const installId = z.string().regex(/^[0-9a-f]{16}$/);
const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

const identitySchema = z.object({ installId, clientId: maybe(z.string().min(1)), isUncertain: z.boolean() });

const tunnelSchema = z.object({
  text: secret,
  proxyHost: text,
  proxyPort: number,
  proxyPublicKey: text,
  privateKey: maybe(secret),
  publicKey: text,
  address: text,
});

const registrationSchema = z.object({
  installId,
  clientId: z.string().min(1),
  clientJwt: secret,
  keepaliveSeconds: number,
  tunnel: maybe(tunnelSchema),
  storedAt: z.string(),
  showsProduction: z.boolean().default(false),
});

const pendingCreateSchema = z.object({
  pending: maybe(
    z.object({
      installId,
      description: z.string(),
      startedAt: z.string(),
      knownClientIds: z.array(z.string()),
      isAccepted: z.boolean(),
    }),
  ),
});

/** The one place where a registration's secrets are written down; the file is 0600. */
function toRegistrationJson(registration: Registration): unknown {
  const { tunnel } = registration;
  return {
    ...registration,
    clientJwt: registration.clientJwt.reveal(),
    tunnel:
      tunnel === undefined
        ? undefined
        : { ...tunnel, text: tunnel.text.reveal(), privateKey: tunnel.privateKey?.reveal() },
  };
}
