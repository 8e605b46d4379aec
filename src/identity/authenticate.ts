import { TributaryError } from '../errors/codes.ts';
import type { Secret } from '../lib/secret.ts';
import type { ServiceClient } from '../service/client.ts';
import { createRefusalError } from '../service/judge.ts';
import { readClaims } from '../service/jwt.ts';
import type { OperationRequest, OperationResponse } from '../service/operations.ts';
import type { OnUnread } from '../service/unread.ts';
import type { ClientRow } from './find-client.ts';
import {
  type Identity,
  type IssuedTunnel,
  markDeviceSpec,
  type OwnClient,
  type Registration,
  type RegistrationFiles,
  type Unissued,
} from './registration-files.ts';

/** What registering and renewing need. */
export interface RegistrationDependencies {
  readonly client: Pick<ServiceClient, 'call'>;
  readonly files: RegistrationFiles;
  /** The device's own token where it has one, else its owner's. */
  readonly token: Secret;
  readonly desired: DesiredDevice;
  /**
   * How long (ms) the list may take to show a client after a create whose answer was lost; more
   * than five minutes by default.
   */
  readonly settleMs?: number;
  /**
   * True where the stored tunnel cannot be used. If an answer brings no tunnel, it is then looked
   * for in the list of clients.
   */
  readonly needsTunnel?: boolean;
  /**
   * Called with what the service has just issued, before the disk or the service is asked for
   * anything more: consumers' traffic waits for a new key.
   */
  readonly onIssued?: ((registration: Registration) => void) | undefined;
  /** Called with what the owner should know, although the work goes on. */
  readonly onNotice?: (notice: string) => void;
}

/** The device as the owner wants the service to know it. */
export interface DesiredDevice {
  readonly description: string;
  /** Without the marker of this installation, which is added here. */
  readonly spec: string;
  /** True if a source of traffic needs the tunnel that the service issues. */
  readonly wantsTunnel: boolean;
  /**
   * `proxy` of the configuration: what the service sets up for the device. Fields that are
   * undefined are left to the service.
   */
  readonly proxy: {
    readonly lock_caller_ip?: boolean | undefined;
    readonly lock_ips?: readonly string[] | undefined;
    readonly https_require_auth?: boolean | undefined;
    readonly country_code?: string | undefined;
  };
}

type AuthClientAnswer = OperationResponse<'authClient'>;
/** An answer that holds a client JWT, whatever else it says. */
export type AuthenticatedAnswer = AuthClientAnswer & { readonly byClientJwt: Secret };

/**
 * The body of auth-client. Description and spec are sent every time, because the production service
 * overwrites them with what it receives.
 */
export function composeAuthClientRequest(
  desired: DesiredDevice,
  identity: Pick<Identity, 'installId' | 'clientId'>,
): OperationRequest<'authClient'> {
  const { proxy } = desired;
  return {
    clientId: identity.clientId,
    description: desired.description,
    deviceSpec: markDeviceSpec(desired.spec, identity.installId),
    proxyConfig: {
      lockCallerIp: proxy.lock_caller_ip,
      lockIpList: proxy.lock_ips,
      httpsRequireAuth: proxy.https_require_auth,
      enableWg: desired.wantsTunnel,
      // Without a country it would be an "Invalid location" (production-profile, "auth-client").
      initialDeviceState:
        proxy.country_code === undefined ? undefined : { countryCode: proxy.country_code },
    },
  };
}

/**
 * Asks auth-client once: makes a client where `identity` names none, else authenticates that one
 * again. Safe to repeat for a client that exists; a create that was sent may have made one, even
 * where this throws (`maybeSent` of the error). An error beside the client JWT becomes a notice.
 * @throws answer-invalid, also where the service answers for another client; service-refused,
 * client-limit-exceeded, codes of `call`
 */
export async function authenticate(
  { client, token, desired, onNotice }: RegistrationDependencies,
  identity: Pick<Identity, 'installId' | 'clientId'>,
  signal: AbortSignal,
): Promise<AuthenticatedAnswer> {
  const request = composeAuthClientRequest(desired, identity);
  const onUnread: OnUnread = ({ message }) => onNotice?.(message);
  const answer = await client.call('authClient', request, { token, signal, onUnread });
  const { byClientJwt, error } = answer;
  if (byClientJwt === undefined) throw createUnauthenticatedError(answer);
  if (error !== undefined) onNotice?.(createRefusalError('authClient', error).message);
  const authenticated = { ...answer, byClientJwt };
  const clientId = readClientId(authenticated) ?? identity.clientId;
  if (identity.clientId !== undefined && clientId !== identity.clientId) {
    const message = 're-authenticating: the service answered for another client';
    throw new TributaryError('answer-invalid', message);
  }
  return authenticated;
}

/** The error for an answer without a client JWT. A refusal that names no client has made none. */
function createUnauthenticatedError({ error, clientId }: AuthClientAnswer): TributaryError {
  if (error !== undefined) {
    const { code, message } = createRefusalError('authClient', error);
    return new TributaryError(code, message, { maybeSent: Boolean(clientId) });
  }
  const message = 'POST /network/auth-client: the answer holds neither a client JWT nor an error';
  return new TributaryError('answer-invalid', message, { maybeSent: true });
}

/**
 * The client's id: a field in production, a claim of the client JWT as documented; undefined where
 * neither names it.
 */
export function readClientId(answer: AuthenticatedAnswer): string | undefined {
  return answer.clientId || readClaims(answer.byClientJwt)?.clientId;
}

/** True while a tunnel is wanted and this registration, or the lack of one, brings none. */
export function lacksTunnel(
  { desired }: Pick<RegistrationDependencies, 'desired'>,
  registration: Pick<Registration, 'tunnel'> | undefined,
): boolean {
  return desired.wantsTunnel && registration?.tunnel === undefined;
}

/** What an answer of auth-client gives to write down. */
export interface Issued {
  readonly answer: AuthenticatedAnswer;
  readonly tunnel: IssuedTunnel | undefined;
  /** The registration so far. Its tunnel stays if the answer brings no new one. */
  readonly before: Registration | undefined;
}

/** The registration that follows from an answer. */
export function composeRegistration(
  own: OwnClient,
  { answer, tunnel: issued, before }: Issued,
): Registration {
  const tunnel = issued ?? before?.tunnel;
  return {
    installId: own.installId,
    clientId: own.clientId,
    clientJwt: answer.byClientJwt,
    renewSeconds: answer.proxyConfigResult?.keepaliveSeconds ?? before?.renewSeconds,
    tunnel,
    unissued: tunnel === undefined ? toUnissued(answer) : undefined,
    storedAt: new Date().toISOString(),
    showsProduction: Boolean(answer.clientId),
    otherClientIds: before?.otherClientIds,
  };
}

function toUnissued({ error }: AuthenticatedAnswer): Unissued {
  return { said: error?.message, needsUpgrade: error?.upgradeRequired ?? false };
}

type ProxyClient = Partial<Pick<NonNullable<ClientRow['proxyClient']>, 'proxyHost' | 'wgConfig'>>;

/**
 * The tunnel in an answer or in a row of the list; undefined without one, as for some plans
 * (production-profile, "auth-client").
 */
export function toIssuedTunnel({
  proxyHost,
  wgConfig: issued,
}: ProxyClient = {}): IssuedTunnel | undefined {
  if (issued?.config === undefined) return undefined;
  return {
    text: issued.config,
    // A service written in Go sends an empty text or 0 where it has nothing to say.
    proxyHost: proxyHost || undefined,
    proxyPort: issued.wgProxyPort || undefined,
    proxyPublicKey: issued.proxyPublicKey || undefined,
    privateKey: issued.clientPrivateKey,
    publicKey: issued.clientPublicKey || undefined,
    address: issued.clientIpv4 || undefined,
  };
}
