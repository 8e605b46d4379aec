import { TributaryError } from '../lib/errors.ts';
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
import { lookUp, recoverRegistration, storeAnswered } from './recover.ts';
import type { PendingCreate, Registration } from './registration-files.ts';
import { clearPending } from './store.ts';

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
