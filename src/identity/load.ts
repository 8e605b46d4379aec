import { randomBytes } from 'node:crypto';
import type { Identity, PendingCreate, Registration, RegistrationFiles } from './registration-files.ts';

/** What the state directory knows of this device. */
export interface LoadedDevice {
  readonly identity: Identity;
  /** undefined: none, or it was set aside, or it is of an earlier device. */
  readonly registration: Registration | undefined;
  readonly pending: PendingCreate | undefined;
}

/**
 * Reads the state, and makes an identity where there is none, so that a disk that takes nothing is found before anything is
 * registered. The three files know the installation's id, so that one lost file costs nothing.
 * @throws state-unreadable, state-unwritable
 */
export async function loadDevice(files: RegistrationFiles): Promise<LoadedDevice> {
  const identity = await files.identity.read();
  const registration = await files.registration.read();
  const pending = (await files.pendingCreate.read())?.pending;
  const settled = identity ?? restoreIdentity(registration, pending, files.hasSetAside());
  const ownRegistration = registration?.installId === settled.installId ? registration : undefined;
  const known = { ...settled, clientId: ownRegistration?.clientId ?? settled.clientId };
  if (known.clientId !== identity?.clientId || identity === undefined) await files.identity.write(known);
  return {
    identity: known,
    registration: ownRegistration,
    pending: pending?.installId === known.installId ? pending : undefined,
  };
}

/**
 * Leaves the present client to the service and begins anew: the one way to a second registration, and only by the owner's word.
 * @throws state-unwritable
 */
export async function startNewDevice(files: RegistrationFiles): Promise<void> {
  await files.identity.write({ installId: makeInstallId(), clientId: undefined, isUncertain: false });
}

function restoreIdentity(
  registration: Registration | undefined,
  pending: PendingCreate | undefined,
  hasSetAside: boolean,
): Identity {
  const installId = registration?.installId ?? pending?.installId;
  return {
    installId: installId ?? makeInstallId(),
    clientId: registration?.clientId,
    // A broken file without any other trace: we may well have a client, and do not know its name.
    isUncertain: installId === undefined && hasSetAside,
  };
}

function makeInstallId(): string {
  return randomBytes(8).toString('hex');
}
