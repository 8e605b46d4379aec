import { TributaryError, toFailure } from '../lib/errors.ts';
import { isSame } from '../lib/secret.ts';
import { authenticate, type RegistrationDependencies, readClientId } from './authenticate.ts';
import { type ClientRow, listKnownClientIds } from './find-client.ts';
import { type LoadedDevice, loadDevice } from './load.ts';
import {
  findTunnel,
  lookUp,
  reauthenticateOwn,
  recoverRegistration,
  storeAnswered,
} from './recover.ts';
import type { Identity, PendingCreate, Registration } from './registration-files.ts';
import { clearPending, composeRegistration, toIssuedTunnel } from './store.ts';

/**
 * Loaded, else recovered, else created, in this order, so that one device has one client. The
 * caller tries again.
 * @throws registration-incomplete, client-limit-exceeded, state-unreadable, state-unwritable, codes
 * of `call`, AbortError
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

/**
 * Notes what is about to be sent, sends it, and writes down whatever it led to before it is judged.
 */
async function createRegistration(
  dependencies: RegistrationDependencies,
  { loaded, rows }: { readonly loaded: LoadedDevice; readonly rows: readonly ClientRow[] },
  signal: AbortSignal,
): Promise<Registration> {
  const { files, desired } = dependencies;
  const { identity } = loaded;
  const pending: PendingCreate = {
    installId: identity.installId,
    description: desired.description,
    startedAt: new Date().toISOString(),
    knownClientIds: listKnownClientIds(rows, desired.description),
    isAccepted: false,
  };
  await files.pendingCreate.write({ pending });
  const answer = await authenticate(dependencies, identity, signal).catch(
    async (error: unknown) => {
      // Surely without effect: nothing to look for, and no need to wait before the next try.
      if (error instanceof TributaryError && error.maybeSent === false) await clearPending(files);
      throw error;
    },
  );
  const clientId =
    readClientId(answer) ?? (await findNewClient(dependencies, { identity, pending }, signal));
  // The client exists by now, also where the answer holds an error: its id is stored before
  // anything else is looked at.
  await files.identity.write({ ...identity, clientId });
  return storeAnswered(dependencies, { loaded, clientId, answer }, signal);
}

/**
 * The id of a client that the answer did not name: the new row of the list (service-interface
 * leaves open where it comes from).
 */
async function findNewClient(
  dependencies: RegistrationDependencies,
  { identity, pending }: { readonly identity: Identity; readonly pending: PendingCreate },
  signal: AbortSignal,
): Promise<string> {
  await dependencies.files.pendingCreate.write({ pending: { ...pending, isAccepted: true } });
  const { finding } = await lookUp(dependencies, { identity, pending }, signal);
  if (finding.kind === 'found') return finding.row.clientId;
  throw new TributaryError(
    'registration-incomplete',
    'the service registered this device without naming its client',
  );
}

const storeEveryMs = 86_400_000;

/**
 * The keep-alive: re-authenticates the client with its description and spec. A changed tunnel or
 * interval is returned and stored, at the next keep-alive where the disk takes nothing; where the
 * answer brings none (production), the old one stays.
 * @throws registration-incomplete when the service has lost the client; service-refused, codes of
 * `call`
 */
export async function renewRegistration(
  dependencies: RegistrationDependencies,
  registration: Registration,
  signal: AbortSignal,
): Promise<Registration> {
  const answer = await reauthenticateOwn(dependencies, registration, signal);
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  // Production issues a tunnel once, when the client is made; a repaired one is only in the list.
  const tunnel =
    issued ??
    (dependencies.needsTunnel ? await findTunnel(dependencies, registration, signal) : undefined);
  const renewed = composeRegistration(registration, { answer, tunnel, before: registration });
  if (!mustStore(registration, renewed)) return { ...renewed, storedAt: registration.storedAt };
  const failure = await dependencies.files.registration
    .write(renewed)
    .catch(toFailure('state-unwritable'));
  return failure === undefined ? renewed : { ...renewed, storedAt: '' };
}

/**
 * A fresh client JWT alone is written once a day: every keep-alive brings one, and SD cards wear
 * out.
 */
function mustStore(before: Registration, renewed: Registration): boolean {
  const ageMs = Math.abs(Date.parse(renewed.storedAt) - Date.parse(before.storedAt));
  return (
    before.keepaliveSeconds !== renewed.keepaliveSeconds ||
    !isSame(before.tunnel, renewed.tunnel) ||
    !(ageMs < storeEveryMs)
  );
}
