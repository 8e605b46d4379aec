import { TributaryError, toFailure } from '../lib/errors.ts';
import { isSame } from '../lib/secret.ts';
import { createRefusalError } from '../service/judge.ts';
import {
  type AuthenticatedAnswer,
  composeAuthClientRequest,
  createUnauthenticatedError,
  isAuthenticated,
  type RegistrationDependencies,
  readClientId,
} from './authenticate.ts';
import { type ClientRow, listKnownClientIds } from './find-client.ts';
import { type LoadedDevice, loadDevice } from './load.ts';
import { findTunnel, lookUp, reauthenticateOwn, recoverRegistration, storeAnswered } from './recover.ts';
import type { PendingCreate, Registration } from './registration-files.ts';
import { clearPending, composeRegistration, toIssuedTunnel } from './store.ts';

/**
 * Loaded, else recovered, else created, in this order, so that one device has one client. The caller tries again.
 * @throws registration-incomplete, client-limit-exceeded, state-unreadable, state-unwritable, codes of `call`, AbortError
 */
export async function ensureRegistration(
  dependencies: RegistrationDependencies,
  signal: AbortSignal,
): Promise<Registration> {
  const loaded = await loadDevice(dependencies.files);
  if (loaded.registration?.tunnel !== undefined) {
    await clearPending(dependencies.files);
    return loaded.registration;
  }
  const recovery = await recoverRegistration(dependencies, loaded, signal);
  if (recovery.kind === 'recovered') return recovery.registration;
  return createRegistration(dependencies, { loaded, rows: recovery.rows }, signal);
}

type CreatedDevice = LoadedDevice & { readonly pending: PendingCreate };

/** Notes what is about to be sent, sends it, and writes down whatever it led to before it is judged. */
async function createRegistration(
  dependencies: RegistrationDependencies,
  { loaded, rows }: { readonly loaded: LoadedDevice; readonly rows: readonly ClientRow[] },
  signal: AbortSignal,
): Promise<Registration> {
  const { client, files, networkJwt, desired } = dependencies;
  const pending: PendingCreate = {
    installId: loaded.identity.installId,
    description: desired.description,
    startedAt: new Date().toISOString(),
    knownClientIds: listKnownClientIds(rows, desired.description),
    isAccepted: false,
  };
  await files.pendingCreate.write({ pending });
  const request = composeAuthClientRequest(desired, { ...loaded.identity, clientId: undefined });
  const answer = await client
    .call('authClient', request, { token: networkJwt, signal })
    .catch(async (error: unknown) => {
      // Surely without effect: nothing to look for, and no need to wait before the next try.
      if (error instanceof TributaryError && error.maybeSent === false) await clearPending(files);
      throw error;
    });
  if (!isAuthenticated(answer)) {
    // A refusal that names no client made none; anything else is looked up first.
    if (answer.error !== undefined && !answer.clientId) await clearPending(files);
    throw createUnauthenticatedError(answer);
  }
  return acceptCreate(dependencies, { loaded: { ...loaded, pending }, answer }, signal);
}

/** The client exists by now, also where the answer holds an error: its id is stored before anything else is looked at. */
async function acceptCreate(
  dependencies: RegistrationDependencies,
  { loaded, answer }: { readonly loaded: CreatedDevice; readonly answer: AuthenticatedAnswer },
  signal: AbortSignal,
): Promise<Registration> {
  const { files, onNotice } = dependencies;
  let clientId = readClientId(answer);
  if (clientId === undefined) {
    // It is the new row of the list (service-interface leaves open where the id comes from).
    await files.pendingCreate.write({ pending: { ...loaded.pending, isAccepted: true } });
    const { finding } = await lookUp(dependencies, loaded, signal);
    if (finding.kind !== 'found') {
      const message = 'the service registered this device without naming its client';
      throw new TributaryError('registration-incomplete', message);
    }
    clientId = finding.row.clientId;
  }
  await files.identity.write({ ...loaded.identity, clientId });
  if (answer.error !== undefined) onNotice?.(createRefusalError('authClient', answer.error).message);
  return storeAnswered(dependencies, { loaded, clientId, answer }, signal);
}

const storeEveryMs = 86_400_000;

/**
 * The keep-alive: re-authenticates the client with its description and spec. A changed tunnel or interval is returned and
 * stored, at the next keep-alive where the disk takes nothing; where the answer brings none (production), the old one stays.
 * @throws registration-incomplete when the service has lost the client; service-refused, codes of `call`
 */
export async function renewRegistration(
  dependencies: RegistrationDependencies,
  registration: Registration,
  signal: AbortSignal,
): Promise<Registration> {
  const answer = await reauthenticateOwn(dependencies, registration, signal);
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  const { installId, clientId } = registration;
  const known = { identity: { installId, clientId, isUncertain: false }, pending: undefined };
  // Production issues a tunnel once, when the client is made; a repaired one is only in the list.
  const tunnel = issued ?? (dependencies.needsTunnel ? await findTunnel(dependencies, known, signal) : undefined);
  const renewed = composeRegistration(registration, { answer, tunnel, before: registration });
  if (!mustStore(registration, renewed)) return { ...renewed, storedAt: registration.storedAt };
  const failure = await dependencies.files.registration.write(renewed).catch(toFailure('state-unwritable'));
  return failure === undefined ? renewed : { ...renewed, storedAt: '' };
}

/** A fresh client JWT alone is written once a day: every keep-alive brings one, and SD cards wear out. */
function mustStore(before: Registration, renewed: Registration): boolean {
  const ageMs = Math.abs(Date.parse(renewed.storedAt) - Date.parse(before.storedAt));
  return (
    before.keepaliveSeconds !== renewed.keepaliveSeconds ||
    !isSame(before.tunnel, renewed.tunnel) ||
    !(ageMs < storeEveryMs)
  );
}
