import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { TributaryError, toUndefined } from '../errors/codes.ts';
import { isThere, readOwnFile } from '../system/files.ts';
import type {
  Identity,
  PendingCreate,
  Registration,
  RegistrationFiles,
} from './registration-files.ts';

/** What the state directory knows of this device. */
export interface LoadedDevice {
  readonly identity: Identity;
  /** undefined if it is missing, was set aside, or belongs to an earlier device. */
  readonly registration: Registration | undefined;
  /** A create of this device that is under way; undefined without one. */
  readonly pending: PendingCreate | undefined;
}

/**
 * Reads the state, or makes an identity. The identity is written at once, so that a full disk is
 * noticed before anything is registered.
 * @throws state-*
 */
export async function loadDevice(files: RegistrationFiles): Promise<LoadedDevice> {
  const identity = await files.identity.readOrSetAside();
  const registration = await files.registration.readOrSetAside();
  const pending = (await files.pendingCreate.readOrSetAside())?.pending;
  const settled =
    identity ?? (await restoreIdentity(files, registration?.installId ?? pending?.installId));
  const ownRegistration = registration?.installId === settled.installId ? registration : undefined;
  const known = { ...settled, clientId: ownRegistration?.clientId ?? settled.clientId };
  if (known.clientId !== identity?.clientId || identity === undefined)
    await files.identity.write(known);
  await noteInstallId(files, known.installId);
  return {
    identity: known,
    registration: ownRegistration,
    pending: pending?.installId === known.installId ? pending : undefined,
  };
}

/**
 * Starts over as a new device, which only the owner may ask for. Copies of the old
 * files stay.
 * @throws state-*
 */
export async function startNewDevice(files: RegistrationFiles): Promise<void> {
  const ending = `left-${Date.now()}`;
  for (const file of [files.registration, files.identity]) await file.copyTo(ending);
  const installId = makeInstallId();
  await files.identity.write({ installId, clientId: undefined, isUncertain: false });
  await noteInstallId(files, installId);
}

/**
 * Notes the installation's id beside the sign-in, in case the other documents get lost. If the disk
 * cannot be written, a later call may do it.
 */
async function noteInstallId({ networkJwt }: RegistrationFiles, installId: string): Promise<void> {
  const state = await networkJwt.readOrSetAside();
  if (state === undefined || state.installId === installId) return;
  await networkJwt.write({ ...state, installId }).catch(toUndefined('state-unwritable'));
}

/**
 * Makes an identity for a directory without an intact one. `knownId` is the installation that the
 * other documents name.
 */
async function restoreIdentity(
  files: RegistrationFiles,
  knownId: string | undefined,
): Promise<Identity> {
  if (knownId !== undefined) return { installId: knownId, clientId: undefined, isUncertain: false };
  // The identity is broken and nothing else names the installation, so a client of ours may exist.
  // This is read from the disk, because another process may have set the file aside.
  const installId = (await files.networkJwt.readOrSetAside())?.installId ?? makeInstallId();
  return { installId, clientId: undefined, isUncertain: await files.hasSetAside() };
}

function makeInstallId(): string {
  return randomBytes(8).toString('hex');
}

/** Marks that tell this machine from others, by kind. Empty where nothing can be concluded. */
export type Machine = NonNullable<Identity['machine']>;

/**
 * A copied card keeps its machine id until systemd makes a new one. The serial number belongs to
 * the board.
 */
const sources: readonly (readonly [kind: string, path: string, form: RegExp])[] = [
  ['machine-id', 'etc/machine-id', /^(?=.*[1-9a-f])[0-9a-f]{32}$/],
  ['board', 'sys/firmware/devicetree/base/serial-number', /^(?=.*[1-9a-z])[0-9a-z]{8,64}$/i],
];

/**
 * The marks of the machine at `root`; empty without systemd, in a container, and where each start
 * makes a new id (run/machine-id).
 */
export async function readMachine(root = '/'): Promise<Machine> {
  const clues = ['run/systemd/system', 'run/systemd/container', 'run/machine-id'];
  const [isBooted, ...doubts] = await Promise.all(clues.map((path) => isThere(join(root, path))));
  if (!isBooted || doubts.includes(true)) return {};
  const marks: Record<string, string> = {};
  for (const [kind, path, form] of sources) {
    const text =
      (await readOwnFile(join(root, path)).catch(() => undefined))?.replace(/[\0\n]+$/, '') ?? '';
    // machine-id(5) asks for this: the id itself is never written, and no other program derives an
    // equal value.
    if (form.test(text))
      marks[kind] = createHmac('sha256', text).update(`tributary ${kind}`).digest('hex');
  }
  return marks;
}

/** True where a mark in the identity differs from the mark of this machine. */
export function hasMoved(
  { machine: known = {} }: Pick<Identity, 'machine'>,
  machine: Machine,
): boolean {
  return Object.entries(machine).some(
    ([kind, mark]) => known[kind] !== undefined && known[kind] !== mark,
  );
}

/**
 * Writes the machine's marks into the identity. The identity of another machine is refused if it is
 * registered, and otherwise replaced.
 * @throws identity-moved, state-*
 */
export async function settleOn(machine: Machine, files: RegistrationFiles): Promise<void> {
  const identity = await files.identity.readOrSetAside();
  if (identity === undefined) return;
  if (!hasMoved(identity, machine)) {
    const isKnown = Object.keys(machine).every((kind) => identity.machine?.[kind] !== undefined);
    if (!isKnown)
      await files.identity.write({ ...identity, machine: { ...identity.machine, ...machine } });
    return;
  }
  const pending = (await files.pendingCreate.readOrSetAside())?.pending;
  const isUsed = identity.clientId !== undefined || identity.isUncertain || pending !== undefined;
  if (!isUsed) return startNewDevice(files);
  const message =
    'This device was registered on another machine. If that one still runs, the service cannot tell the two apart.';
  throw new TributaryError('identity-moved', message);
}
