import { hasCode, TributaryError } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import { type DesiredDevice, type RegistrationDependencies, reauthenticate } from './authenticate.ts';
import { readInstallId } from './device-marker.ts';
import { type ClientRow, type Finding, findOwnClient, type NamedClientRow } from './find-client.ts';
import { toIssuedTunnel } from './issued-tunnel.ts';
import type { LoadedDevice } from './load.ts';
import type { Registration } from './registration-files.ts';
import { storeRegistration } from './store.ts';

/** Either our client, registered again on this disk, or the certainty that there is none, with the list that shows it. */
export type Recovery =
  | { readonly kind: 'recovered'; readonly registration: Registration }
  | { readonly kind: 'none'; readonly rows: readonly ClientRow[] };

const defaultSettleMs = 5_000;

/**
 * Looks for our client at the service and takes it up again: by its id, its marker, or what a lost create left behind.
 * After a lost create the list is asked twice, with time in between for the service to finish what it had begun.
 * @throws registration-incomplete where a client of ours exists or may exist and cannot be taken up; codes of `call`
 */
export async function recoverRegistration(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  loaded: LoadedDevice,
  signal: AbortSignal,
): Promise<Recovery> {
  const look = () => lookUp(dependencies, desired, loaded, signal);
  let seen = await look();
  if (seen.finding.kind === 'absent' && loaded.pending !== undefined && loaded.identity.clientId === undefined) {
    await settle(dependencies, signal);
    seen = await look();
  }
  const { finding } = seen;
  if (finding.kind === 'ambiguous') throw toAmbiguous(finding.clientIds);
  if (finding.kind === 'found') {
    return { kind: 'recovered', registration: await adopt(dependencies, desired, loaded, finding.row, signal) };
  }
  const { clientId } = loaded.identity;
  if (clientId !== undefined) {
    return { kind: 'recovered', registration: await adoptUnlisted(dependencies, desired, loaded, clientId, signal) };
  }
  if (loaded.identity.isUncertain) throw toAmbiguous([]);
  if (loaded.pending?.isAccepted) throw toUnnamed();
  return { kind: 'none', rows: seen.rows };
}

/** One look at the network's clients. */
export async function lookUp(
  { client, networkJwt }: RegistrationDependencies,
  { description, spec }: DesiredDevice,
  { identity, pending }: Pick<LoadedDevice, 'identity' | 'pending'>,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly ClientRow[]; readonly finding: Finding }> {
  const { clients: rows } = await client.call('clients', undefined, { token: networkJwt, signal });
  return { rows, finding: findOwnClient(rows, { identity, pending, description, spec }) };
}

/** The error that stands for a refused re-authentication: another one once two looks have shown that the client is gone. */
export async function toRefusedOrGone(
  error: unknown,
  { dependencies, clientId }: { readonly dependencies: RegistrationDependencies; readonly clientId: string },
  signal: AbortSignal,
): Promise<unknown> {
  if (!hasCode(error, 'service-refused')) return error;
  const isListed = async () => {
    const { clients } = await dependencies.client.call('clients', undefined, {
      token: dependencies.networkJwt,
      signal,
    });
    return clients.some((row) => row.clientId === clientId);
  };
  if (await isListed()) return error;
  await settle(dependencies, signal);
  if (await isListed()) return error;
  const message = `the service no longer knows this device's client ${clientId} (${error.message}); ${newDeviceAdvice}`;
  return new TributaryError('registration-incomplete', message, { cause: error });
}

async function adopt(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  { identity, registration }: LoadedDevice,
  row: NamedClientRow,
  signal: AbortSignal,
): Promise<Registration> {
  // An identity that was lost is taken up again from the marker.
  const installId = (identity.isUncertain ? readInstallId(row.deviceSpec) : undefined) ?? identity.installId;
  const own = { installId, clientId: row.clientId, isUncertain: false };
  await dependencies.files.identity.write(own);
  const answer = await reauthenticate(dependencies, desired, own, signal);
  const tunnel = toIssuedTunnel(answer.proxyConfigResult) ?? toIssuedTunnel(row.proxyClient);
  return storeRegistration(dependencies.files, own, { answer, tunnel, before: registration });
}

/** A client that the list leaves out: one unseen for 30 days goes inactive, and is woken by a re-authentication. */
async function adoptUnlisted(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  loaded: LoadedDevice,
  clientId: string,
  signal: AbortSignal,
): Promise<Registration> {
  const own = { ...loaded.identity, clientId };
  const answer = await reauthenticate(dependencies, desired, own, signal).catch(async (error: unknown) => {
    throw await toRefusedOrGone(error, { dependencies, clientId }, signal);
  });
  const issued = toIssuedTunnel(answer.proxyConfigResult);
  const tunnel = issued ?? (await findTunnel(dependencies, desired, { ...loaded, identity: own }, signal));
  return storeRegistration(dependencies.files, own, { answer, tunnel, before: loaded.registration });
}

/** The tunnel that the list of clients holds for us; undefined where it holds none. */
export async function findTunnel(
  dependencies: RegistrationDependencies,
  desired: DesiredDevice,
  loaded: Pick<LoadedDevice, 'identity' | 'pending'>,
  signal: AbortSignal,
) {
  const { finding } = await lookUp(dependencies, desired, loaded, signal);
  return finding.kind === 'found' ? toIssuedTunnel(finding.row.proxyClient) : undefined;
}

async function settle({ settleMs }: RegistrationDependencies, signal: AbortSignal): Promise<void> {
  await sleep(settleMs ?? defaultSettleMs, signal);
  signal.throwIfAborted();
}

const newDeviceAdvice = 'to register this device as a new one, run `tributary login --new-device`';

function toAmbiguous(clientIds: readonly string[]): TributaryError {
  const which =
    clientIds.length === 0 ? 'none of the clients is surely ours' : `it may be one of ${clientIds.join(', ')}`;
  const message = `the record of this device's client was lost, and ${which}; ${newDeviceAdvice}`;
  return new TributaryError('registration-incomplete', message);
}

function toUnnamed(): TributaryError {
  const message = `the service registered this device without naming its client, and does not list it; ${newDeviceAdvice}`;
  return new TributaryError('registration-incomplete', message);
}
