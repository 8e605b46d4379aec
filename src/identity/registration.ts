import { TributaryError, toUndefined } from '../errors/codes.ts';
import {
  type AuthenticatedAnswer,
  authenticate,
  composeRegistration,
  type Issued,
  lacksTunnel,
  type RegistrationDependencies,
  readClientId,
  toIssuedTunnel,
} from './authenticate.ts';
import {
  createLostError,
  explainRefusal,
  findTunnel,
  type ListSeen,
  listKnownClientIds,
  lookRepeatedly,
  lookUp,
  type NamedClientRow,
} from './find-client.ts';
import { type LoadedDevice, loadDevice } from './load.ts';
import {
  type Identity,
  type OwnClient,
  type PendingCreate,
  type Registration,
  type RegistrationFiles,
  readInstallId,
} from './registration-files.ts';

/**
 * The registration of this device: loaded, else recovered, else created, in this order, so that one
 * device has one client. Whatever an attempt led to is on the disk before it is judged, so the
 * caller may call again after any error and after any crash. A device is registered also where the
 * service issued no tunnel: `unissued` then says why, and only a call that finds no tunnel on the
 * disk asks the service for it.
 * @throws client-lost, client-limit-exceeded, state-unreadable, state-unwritable, codes
 * of `call`, AbortError
 */
export async function ensureRegistration(
  dependencies: RegistrationDependencies,
  signal: AbortSignal,
): Promise<Registration> {
  const loaded = await loadDevice(dependencies.files);
  const { registration } = loaded;
  if (registration !== undefined && !lacksTunnel(dependencies, registration)) {
    await clearPending(dependencies.files);
    return registration;
  }
  const recovery = await recoverRegistration(dependencies, loaded, signal);
  if (recovery.kind === 'recovered') return recovery.registration;
  return createRegistration(dependencies, { loaded, seen: recovery }, signal);
}

/**
 * Either our client, registered again on this disk, or the certainty that the service has no client
 * of ours, with the list that shows it.
 */
type Recovery =
  | { readonly kind: 'recovered'; readonly registration: Registration }
  | ({ readonly kind: 'none' } & ListSeen);

/**
 * Looks for our client at the service and takes it up again: by its id, its marker, or what a lost
 * create left behind.
 * @throws client-lost where a client of ours exists or may exist and cannot be taken
 * up; codes of `call`
 */
export async function recoverRegistration(
  dependencies: RegistrationDependencies,
  loaded: LoadedDevice,
  signal: AbortSignal,
): Promise<Recovery> {
  const { identity, pending } = loaded;
  const isUnderWay = pending !== undefined && identity.clientId === undefined;
  const look = isUnderWay ? lookRepeatedly : lookUp;
  const { finding, rows, unread } = await look(dependencies, loaded, signal);
  if (finding.kind === 'ambiguous') throw createAmbiguousError(finding.clientIds);
  if (finding.kind === 'found') {
    return {
      kind: 'recovered',
      registration: await adopt(dependencies, { loaded, row: finding.row }, signal),
    };
  }
  const { clientId } = identity;
  if (clientId !== undefined) {
    // A client that was not seen for 30 days becomes inactive and is not listed. Authenticating it
    // again makes it active.
    const own = { ...identity, clientId };
    const answer = await authenticate(dependencies, own, signal).catch(async (error: unknown) => {
      throw await explainRefusal(dependencies, { own, error }, signal);
    });
    return {
      kind: 'recovered',
      registration: await storeAnswered(dependencies, { loaded, clientId, answer }, signal),
    };
  }
  if (identity.isUncertain) throw createAmbiguousError([]);
  if (pending?.isAccepted) {
    throw createLostError(
      'the service registered this device without naming its client, and does not list it',
    );
  }
  // One client, also where a row of the list is strange: it may be the one that a create has left.
  if (isUnderWay && unread > (pending.unreadRows ?? 0)) {
    throw new TributaryError(
      'answer-invalid',
      "looking for this device's client: a row that cannot be read has come to the list, and it may be the one",
    );
  }
  return { kind: 'none', rows, unread };
}

/**
 * Takes up a client of ours that the list shows. Its id is written to the disk before it is asked
 * for.
 */
async function adopt(
  dependencies: RegistrationDependencies,
  { loaded, row }: { readonly loaded: LoadedDevice; readonly row: NamedClientRow },
  signal: AbortSignal,
): Promise<Registration> {
  const { identity, registration } = loaded;
  // If the identity was lost, the marker in the list gives it back.
  const installId =
    (identity.isUncertain ? readInstallId(row.deviceSpec) : undefined) ?? identity.installId;
  const own = { installId, clientId: row.clientId, isUncertain: false };
  await dependencies.files.identity.write(own);
  const answer = await authenticate(dependencies, own, signal);
  const tunnel = toIssuedTunnel(answer.proxyConfigResult) ?? toIssuedTunnel(row.proxyClient);
  return storeRegistration(dependencies, own, { answer, tunnel, before: registration });
}

function createAmbiguousError(clientIds: readonly string[]): TributaryError {
  const which =
    clientIds.length === 0
      ? 'none of the clients is surely ours'
      : `it may be one of ${clientIds.join(', ')}`;
  return createLostError(`the record of this device's client was lost, and ${which}`);
}

/**
 * Writes down what is about to be sent, sends it, and writes down the result before it is judged.
 */
async function createRegistration(
  dependencies: RegistrationDependencies,
  { loaded, seen }: { readonly loaded: LoadedDevice; readonly seen: ListSeen },
  signal: AbortSignal,
): Promise<Registration> {
  const { files, desired } = dependencies;
  const { identity } = loaded;
  const pending: PendingCreate = {
    installId: identity.installId,
    description: desired.description,
    startedAt: new Date().toISOString(),
    knownClientIds: listKnownClientIds(seen.rows, desired.description),
    unreadRows: seen.unread === 0 ? undefined : seen.unread,
    isAccepted: false,
  };
  await files.pendingCreate.write({ pending });
  const answer = await authenticate(dependencies, identity, signal).catch(
    async (error: unknown) => {
      // The request surely had no effect, so there is nothing to look for and no need to wait
      // before the next try.
      if (error instanceof TributaryError) {
        if (error.maybeSent === false) await clearPending(files);
        else await noteUnclear(files, pending);
      }
      throw error;
    },
  );
  const clientId =
    readClientId(answer) ?? (await findNewClient(dependencies, { identity, pending }, signal));
  // The client exists by now, even if the answer also holds an error. Its id is stored before
  // anything else is looked at.
  await files.identity.write({ ...identity, clientId });
  return storeAnswered(dependencies, { loaded, clientId, answer }, signal);
}

/**
 * The id of a client that the answer did not name: the new row of the list. (The service interface
 * leaves open where the id comes from.)
 */
async function findNewClient(
  dependencies: RegistrationDependencies,
  { identity, pending }: { readonly identity: Identity; readonly pending: PendingCreate },
  signal: AbortSignal,
): Promise<string> {
  await dependencies.files.pendingCreate.write({ pending: { ...pending, isAccepted: true } });
  const { finding } = await lookUp(dependencies, { identity, pending }, signal);
  if (finding.kind === 'found') return finding.row.clientId;
  throw createLostError('the service registered this device without naming its client');
}

/**
 * Writes down a client that has answered, before a tunnel that the answer lacks is looked for in
 * the list.
 * @throws state-unwritable, codes of `call`
 */
async function storeAnswered(
  dependencies: RegistrationDependencies,
  {
    loaded,
    clientId,
    answer,
  }: Readonly<{ loaded: LoadedDevice; clientId: string; answer: AuthenticatedAnswer }>,
  signal: AbortSignal,
): Promise<Registration> {
  const own = { ...loaded.identity, clientId };
  const before = loaded.registration;
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  const stored = await storeRegistration(dependencies, own, { answer, tunnel: issued, before });
  if (!lacksTunnel(dependencies, stored)) return stored;
  const tunnel = await findTunnel(dependencies, own, signal);
  if (tunnel === undefined) return stored;
  return storeRegistration(dependencies, own, { answer, tunnel, before });
}

/**
 * Writes the registration, with or without a tunnel, and only then ends the create that led to it,
 * so that no retry registers again. A tunnel is in use before.
 * @throws state-unwritable
 */
export async function storeRegistration(
  { files, onIssued }: Pick<RegistrationDependencies, 'files' | 'onIssued'>,
  own: OwnClient,
  issued: Issued,
): Promise<Registration> {
  const registration = composeRegistration(own, issued);
  if (registration.tunnel !== undefined) onIssued?.(registration);
  await files.registration.write(registration);
  await clearPending(files);
  return registration;
}

/** Notes that a create was sent and its answer was lost. A disk that fails changes nothing. */
async function noteUnclear(files: RegistrationFiles, pending: PendingCreate): Promise<void> {
  const noted = files.pendingCreate.write({ pending: { ...pending, isUnclear: true } });
  await noted.catch(toUndefined('state-unwritable'));
}

/** Notes that no create is under way any more. @throws state-unwritable */
export async function clearPending(files: RegistrationFiles): Promise<void> {
  const document = await files.pendingCreate.readOrSetAside();
  if (document?.pending !== undefined) await files.pendingCreate.write({ pending: undefined });
}
