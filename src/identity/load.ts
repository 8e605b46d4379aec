import { randomBytes } from 'node:crypto';
import { toUndefined } from '../lib/errors.ts';
import type { Identity, RegistrationFiles } from './registration-files.ts';

/** What the state directory knows of this device. */
export type LoadedDevice = Readonly<Awaited<ReturnType<typeof loadDevice>>>;

/** Reads the state, or makes an identity: a full disk shows before anything is registered. @throws state-* */
export async function loadDevice(files: RegistrationFiles) {
  const identity = await files.identity.readOrSetAside();
  const registration = await files.registration.readOrSetAside();
  const pending = (await files.pendingCreate.readOrSetAside())?.pending;
  const settled = identity ?? (await restoreIdentity(files, registration?.installId ?? pending?.installId));
  const ownRegistration = registration?.installId === settled.installId ? registration : undefined;
  const known = { ...settled, clientId: ownRegistration?.clientId ?? settled.clientId };
  if (known.clientId !== identity?.clientId || identity === undefined) await files.identity.write(known);
  await noteInstallId(files, known.installId);
  return {
    identity: known,
    /** undefined: none, or it was set aside, or it is of an earlier device. */
    registration: ownRegistration,
    pending: pending?.installId === known.installId ? pending : undefined,
  };
}

/** Starts over as another device, which only the owner asks for; copies of the old files stay. @throws state-* */
export async function startNewDevice(files: RegistrationFiles): Promise<void> {
  const ending = `left-${Date.now()}`;
  for (const file of [files.registration, files.identity]) await file.copyTo(ending);
  const installId = makeInstallId();
  await files.identity.write({ installId, clientId: undefined, isUncertain: false });
  await noteInstallId(files, installId);
}

/** Beside the sign-in, for the day on which the other documents are lost; a disk that takes nothing may take it later. */
async function noteInstallId({ networkJwt }: RegistrationFiles, installId: string): Promise<void> {
  const state = await networkJwt.readOrSetAside();
  if (state === undefined || state.installId === installId) return;
  await networkJwt.write({ ...state, installId }).catch(toUndefined('state-unwritable'));
}

/** An identity for a directory without a whole one. `knownId` is the installation that the other documents name. */
async function restoreIdentity(files: RegistrationFiles, knownId: string | undefined): Promise<Identity> {
  if (knownId !== undefined) return { installId: knownId, clientId: undefined, isUncertain: false };
  // Broken, without other trace: we may have a client. The disk tells, not the process: another may have set it aside.
  const installId = (await files.networkJwt.readOrSetAside())?.installId ?? makeInstallId();
  return { installId, clientId: undefined, isUncertain: await files.hasSetAside() };
}

function makeInstallId(): string {
  return randomBytes(8).toString('hex');
}
