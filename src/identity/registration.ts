import { TributaryError } from '../lib/errors.ts';
import { createRefusalError } from '../service/refusal.ts';
import {
  type AuthenticatedAnswer,
  type DesiredDevice,
  isAuthenticated,
  type RegistrationDependencies,
  readClientId,
  toAuthClientRequest,
  toFailure,
} from './authenticate.ts';
import { type ClientRow, toKnownClientIds } from './find-client.ts';
import { toIssuedTunnel } from './issued-tunnel.ts';
import { type LoadedDevice, loadDevice } from './load.ts';
import { findTunnel, lookUp, recoverRegistration } from './recover.ts';
import type { PendingCreate, Registration } from './registration-files.ts';
import { clearPending, storeRegistration } from './store.ts';

/**
 * This device's registration: loaded, else recovered, else created, in this order, so that one device has one client. One
 * round without loops: whoever calls waits and calls again.
 * @throws registration-incomplete, client-limit-exceeded, state-unreadable, state-unwritable, codes of `call`, AbortError
 */
export async function ensureRegistration(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  signal: AbortSignal,
): Promise<Registration> {
  const loaded = await loadDevice(dependencies.files);
  if (loaded.registration?.tunnel !== undefined) {
    await clearPending(dependencies.files);
    return loaded.registration;
  }
  const recovery = await recoverRegistration(dependencies, desired, loaded, signal);
  return recovery.kind === 'recovered'
    ? recovery.registration
    : createRegistration(dependencies, desired, loaded, recovery.rows, signal);
}

/** Notes what is about to be sent, sends it, and writes down whatever it led to before it is judged. */
async function createRegistration(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  loaded: LoadedDevice,
  rows: readonly ClientRow[],
  signal: AbortSignal,
): Promise<Registration> {
  const { client, files, networkJwt } = dependencies;
  const pending: PendingCreate = {
    installId: loaded.identity.installId,
    description: desired.description,
    startedAt: new Date().toISOString(),
    knownClientIds: toKnownClientIds(rows, desired.description),
    isAccepted: false,
  };
  await files.pendingCreate.write({ pending });
  const request = toAuthClientRequest(desired, { ...loaded.identity, clientId: undefined });
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
    throw toFailure(answer);
  }
  return acceptCreate(dependencies, desired, { ...loaded, pending }, answer, signal);
}

/** The client exists by now, also where the answer holds an error: its id is stored before anything else is looked at. */
async function acceptCreate(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  loaded: LoadedDevice & { readonly pending: PendingCreate },
  answer: AuthenticatedAnswer,
  signal: AbortSignal,
): Promise<Registration> {
  const clientId = readClientId(answer) ?? (await findNewClientId(dependencies, desired, loaded, signal));
  const own = { ...loaded.identity, clientId };
  await dependencies.files.identity.write(own);
  if (answer.error !== undefined) dependencies.onNotice?.(createRefusalError('authClient', answer.error).message);
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  const tunnel = issued ?? (await findTunnel(dependencies, desired, { ...loaded, identity: own }, signal));
  return storeRegistration(dependencies.files, own, { answer, tunnel, before: undefined });
}

/** For an answer that does not name the client: it is the new row (service-interface leaves open where the id comes from). */
async function findNewClientId(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  loaded: LoadedDevice & { readonly pending: PendingCreate },
  signal: AbortSignal,
): Promise<string> {
  await dependencies.files.pendingCreate.write({ pending: { ...loaded.pending, isAccepted: true } });
  const { finding } = await lookUp(dependencies, desired, loaded, signal);
  if (finding.kind === 'found') return finding.row.clientId;
  throw new TributaryError('registration-incomplete', 'the service registered this device without naming its client');
}
