import { TributaryError } from '../lib/errors.ts';
import type { AuthenticatedAnswer } from './authenticate.ts';
import type { ClientRow } from './find-client.ts';
import type {
  IssuedTunnel,
  OwnClient,
  Registration,
  RegistrationFiles,
} from './registration-files.ts';

/** What an answer of auth-client leaves to write down. */
export interface Issued {
  readonly answer: AuthenticatedAnswer;
  readonly tunnel: IssuedTunnel | undefined;
  /** The registration so far, whose tunnel stays where the answer brings nothing new. */
  readonly before: Registration | undefined;
}

/** The registration that an answer amounts to. */
export function composeRegistration(
  own: OwnClient,
  { answer, tunnel, before }: Issued,
): Registration {
  return {
    installId: own.installId,
    clientId: own.clientId,
    clientJwt: answer.byClientJwt,
    keepaliveSeconds: answer.proxyConfigResult?.keepaliveSeconds ?? before?.keepaliveSeconds,
    tunnel: tunnel ?? before?.tunnel,
    storedAt: new Date().toISOString(),
    showsProduction: answer.clientId !== undefined,
  };
}

type ProxyClient = Partial<Pick<NonNullable<ClientRow['proxyClient']>, 'proxyHost' | 'wgConfig'>>;

/**
 * The tunnel of an answer or a client row; undefined: none, as for some plans (production-profile,
 * "auth-client").
 */
export function toIssuedTunnel({
  proxyHost,
  wgConfig: issued,
}: ProxyClient = {}): IssuedTunnel | undefined {
  if (issued?.config === undefined) return undefined;
  return {
    text: issued.config,
    proxyHost: proxyHost === '' ? undefined : proxyHost,
    proxyPort: issued.wgProxyPort,
    proxyPublicKey: issued.proxyPublicKey,
    privateKey: issued.clientPrivateKey,
    publicKey: issued.clientPublicKey,
    address: issued.clientIpv4,
  };
}

/**
 * Writes first, so that no retry registers again. @throws state-unwritable, registration-incomplete
 * (no tunnel)
 */
export async function storeRegistration(
  files: RegistrationFiles,
  own: OwnClient,
  issued: Issued,
): Promise<Registration> {
  const registration = composeRegistration(own, issued);
  await files.registration.write(registration);
  await clearPending(files);
  if (registration.tunnel === undefined) throw createNoTunnelError(issued.answer);
  return registration;
}

/** Nothing is under way any more. @throws state-unwritable */
export async function clearPending(files: RegistrationFiles): Promise<void> {
  const document = await files.pendingCreate.readOrSetAside();
  if (document?.pending !== undefined) await files.pendingCreate.write({ pending: undefined });
}

function createNoTunnelError({ error }: AuthenticatedAnswer): TributaryError {
  const said = error?.message === undefined ? '' : ` (${error.message})`;
  const why = error?.upgradeRequired
    ? "the owner's plan does not include it"
    : 'look at proxy.country_code and at the plan';
  const message = `the device is registered, but the service issued no WireGuard configuration${said}: ${why}`;
  return new TributaryError('registration-incomplete', message);
}
