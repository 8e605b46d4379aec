import { hasCode, TributaryError } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import {
  type AuthenticatedAnswer,
  type RegistrationDependencies,
  reauthenticate,
} from './authenticate.ts';
import {
  type ClientRow,
  type Finding,
  findOwnClient,
  type KnownOfUs,
  type NamedClientRow,
} from './find-client.ts';
import type { LoadedDevice } from './load.ts';
import { type OwnClient, type Registration, readInstallId } from './registration-files.ts';
import { storeRegistration, toIssuedTunnel } from './store.ts';

/**
 * Either our client, registered again on this disk, or the certainty that the service has no client
 * of ours, with the list that shows it.
 */
export type Recovery =
  | { readonly kind: 'recovered'; readonly registration: Registration }
  | { readonly kind: 'none'; readonly rows: readonly ClientRow[] };

/** An abort ends it early: the call that follows then says so. */
const defaultSettleMs = 5_000;

/**
 * Looks for our client at the service and takes it up again: by its id, its marker, or what a lost
 * create left behind.
 * @throws registration-incomplete where a client of ours exists or may exist and cannot be taken
 * up; codes of `call`
 */
export async function recoverRegistration(
  dependencies: RegistrationDependencies,
  loaded: LoadedDevice,
  signal: AbortSignal,
): Promise<Recovery> {
  const { identity, pending } = loaded;
  let seen = await lookUp(dependencies, loaded, signal);
  if (seen.finding.kind === 'absent' && pending !== undefined && identity.clientId === undefined) {
    // The service may still be finishing what it had begun.
    await sleep(dependencies.settleMs ?? defaultSettleMs, signal);
    seen = await lookUp(dependencies, loaded, signal);
  }
  const { finding, rows } = seen;
  if (finding.kind === 'ambiguous') throw createAmbiguousError(finding.clientIds);
  if (finding.kind === 'found') {
    return {
      kind: 'recovered',
      registration: await adopt(dependencies, { loaded, row: finding.row }, signal),
    };
  }
  const { clientId } = identity;
  if (clientId !== undefined) {
    // One unseen for 30 days goes inactive and is not listed; a re-authentication wakes it.
    const answer = await reauthenticateOwn(dependencies, { ...identity, clientId }, signal);
    return {
      kind: 'recovered',
      registration: await storeAnswered(dependencies, { loaded, clientId, answer }, signal),
    };
  }
  if (identity.isUncertain) throw createAmbiguousError([]);
  if (pending?.isAccepted) {
    throw createIncompleteError(
      'the service registered this device without naming its client, and does not list it',
    );
  }
  return { kind: 'none', rows };
}

/** One look at the network's clients. */
export async function lookUp(
  { client, networkJwt, desired }: RegistrationDependencies,
  { identity, pending }: KnownOfUs,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly ClientRow[]; readonly finding: Finding }> {
  const { description, spec } = desired;
  // Of all others nothing is asked.
  const keep = (row: ClientRow) =>
    row.clientId === identity.clientId ||
    row.description === description ||
    row.description === pending?.description ||
    readInstallId(row.deviceSpec) === identity.installId;
  const { clients: rows } = await client.call('clients', undefined, {
    token: networkJwt,
    signal,
    keep,
  });
  return { rows, finding: findOwnClient(rows, { identity, pending, description, spec }) };
}

/** The row of a client of ours in the list; undefined where it has none. */
async function findRow(
  dependencies: RegistrationDependencies,
  own: OwnClient,
  signal: AbortSignal,
) {
  const known = { identity: { ...own, isUncertain: false }, pending: undefined };
  const { finding } = await lookUp(dependencies, known, signal);
  return finding.kind === 'found' ? finding.row : undefined;
}

/**
 * The tunnel that the list of clients holds for a client of ours; undefined where it holds none.
 */
export async function findTunnel(
  dependencies: RegistrationDependencies,
  own: OwnClient,
  signal: AbortSignal,
) {
  return toIssuedTunnel((await findRow(dependencies, own, signal))?.proxyClient);
}

/**
 * Writes down a client that has answered, with the tunnel of the answer or else of the list.
 * @throws registration-incomplete
 */
export async function storeAnswered(
  dependencies: RegistrationDependencies,
  {
    loaded,
    clientId,
    answer,
  }: Readonly<{ loaded: LoadedDevice; clientId: string; answer: AuthenticatedAnswer }>,
  signal: AbortSignal,
): Promise<Registration> {
  const own = { ...loaded.identity, clientId };
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  const tunnel = issued ?? (await findTunnel(dependencies, own, signal));
  return storeRegistration(dependencies.files, own, {
    answer,
    tunnel,
    before: loaded.registration,
  });
}

/**
 * @throws registration-incomplete where two looks at the list do not show our client; codes of
 * `reauthenticate`
 */
export async function reauthenticateOwn(
  dependencies: RegistrationDependencies,
  own: OwnClient,
  signal: AbortSignal,
): Promise<AuthenticatedAnswer> {
  const isListed = async () => (await findRow(dependencies, own, signal)) !== undefined;
  try {
    return await reauthenticate(dependencies, own, signal);
  } catch (error) {
    if (!hasCode(error, 'service-refused') || (await isListed())) throw error;
    await sleep(dependencies.settleMs ?? defaultSettleMs, signal);
    if (await isListed()) throw error;
    const what = `the service no longer knows this device's client ${own.clientId} (${error.message})`;
    throw createIncompleteError(what, error);
  }
}

async function adopt(
  dependencies: RegistrationDependencies,
  { loaded, row }: { readonly loaded: LoadedDevice; readonly row: NamedClientRow },
  signal: AbortSignal,
): Promise<Registration> {
  const { identity, registration } = loaded;
  // An identity that was lost is taken up again from the marker.
  const installId =
    (identity.isUncertain ? readInstallId(row.deviceSpec) : undefined) ?? identity.installId;
  const own = { installId, clientId: row.clientId, isUncertain: false };
  await dependencies.files.identity.write(own);
  const answer = await reauthenticate(dependencies, own, signal);
  const tunnel = toIssuedTunnel(answer.proxyConfigResult) ?? toIssuedTunnel(row.proxyClient);
  return storeRegistration(dependencies.files, own, { answer, tunnel, before: registration });
}

function createAmbiguousError(clientIds: readonly string[]): TributaryError {
  const which =
    clientIds.length === 0
      ? 'none of the clients is surely ours'
      : `it may be one of ${clientIds.join(', ')}`;
  return createIncompleteError(`the record of this device's client was lost, and ${which}`);
}

function createIncompleteError(what: string, cause?: unknown): TributaryError {
  const message = `${what}; to register this device as a new one, run \`tributary login --new-device\``;
  return new TributaryError('registration-incomplete', message, { cause });
}
