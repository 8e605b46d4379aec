import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { TributaryError, toUndefined } from '../lib/errors.ts';
import { isThere, readOwnFile } from '../system/files.ts';
import type { Identity, RegistrationFiles } from './registration-files.ts';

/** What the state directory knows of this device. */
export type LoadedDevice = Readonly<Awaited<ReturnType<typeof loadDevice>>>;

/**
 * Reads the state, or makes an identity: a full disk shows before anything is registered. @throws
 * state-*
 */
export async function loadDevice(files: RegistrationFiles) {
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
    /** undefined: none, or it was set aside, or it is of an earlier device. */
    registration: ownRegistration,
    pending: pending?.installId === known.installId ? pending : undefined,
  };
}

/**
 * Starts over as another device, which only the owner asks for; copies of the old files stay.
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
 * Beside the sign-in, for the day on which the other documents are lost; a disk that takes nothing
 * may take it later.
 */
async function noteInstallId({ networkJwt }: RegistrationFiles, installId: string): Promise<void> {
  const state = await networkJwt.readOrSetAside();
  if (state === undefined || state.installId === installId) return;
  await networkJwt.write({ ...state, installId }).catch(toUndefined('state-unwritable'));
}

/**
 * An identity for a directory without a whole one. `knownId` is the installation that the other
 * documents name.
 */
async function restoreIdentity(
  files: RegistrationFiles,
  knownId: string | undefined,
): Promise<Identity> {
  if (knownId !== undefined) return { installId: knownId, clientId: undefined, isUncertain: false };
  // Broken, without other trace: we may have a client. The disk tells, not the process: another may
  // have set it aside.
  const installId = (await files.networkJwt.readOrSetAside())?.installId ?? makeInstallId();
  return { installId, clientId: undefined, isUncertain: await files.hasSetAside() };
}

function makeInstallId(): string {
  return randomBytes(8).toString('hex');
}

/** What tells this machine from others: kind → mark. Empty where nothing can be concluded. */
export type Machine = NonNullable<Identity['machine']>;

/**
 * A copied card keeps its machine id until systemd makes another one; the serial number belongs to
 * the board.
 */
const sources: readonly (readonly [kind: string, path: string, form: RegExp])[] = [
  ['machine-id', 'etc/machine-id', /^(?=.*[1-9a-f])[0-9a-f]{32}$/],
  ['board', 'sys/firmware/devicetree/base/serial-number', /^(?=.*[1-9a-z])[0-9a-z]{8,64}$/i],
];

/**
 * The machine at `root`; empty without systemd, in a container, and while each start makes an id
 * (run/machine-id).
 */
export async function readMachine(root = '/'): Promise<Machine> {
  const clues = ['run/systemd/system', 'run/systemd/container', 'run/machine-id'];
  const [isBooted, ...doubts] = await Promise.all(clues.map((path) => isThere(join(root, path))));
  if (!isBooted || doubts.includes(true)) return {};
  const marks: Record<string, string> = {};
  for (const [kind, path, form] of sources) {
    const text =
      (await readOwnFile(join(root, path)).catch(() => undefined))?.replace(/[\0\n]+$/, '') ?? '';
    // As machine-id(5) asks for: the id itself is written nowhere, and no other program makes the
    // same of it.
    if (form.test(text))
      marks[kind] = createHmac('sha256', text).update(`tributary ${kind}`).digest('hex');
  }
  return marks;
}

/** True where a mark that the identity knows is another one here. */
export function hasMoved(
  { machine: known = {} }: Pick<Identity, 'machine'>,
  machine: Machine,
): boolean {
  return Object.entries(machine).some(
    ([kind, mark]) => known[kind] !== undefined && known[kind] !== mark,
  );
}

/**
 * Notes the machine. Another's identity is refused, or replaced if not registered. @throws
 * identity-moved, state-*
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
