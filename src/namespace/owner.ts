import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { hasCode, toUndefined } from '../errors/codes.ts';
import type { Exec } from '../system/exec.ts';
import { isThere, readFileIfThere } from '../system/files.ts';
import { namespaceName } from './plan.ts';

// The right to change a network (CAP_NET_ADMIN) holds for every network of a user namespace. In the
// host's, it would reach through the link into the host's own network. So where it can be made, the
// agent's network belongs to a user namespace of the agent's user: in there its right is worth
// something, and on the host it has none. Root, who makes both, still rules over all of it.

/** The user whom packages make for the agent, and as whom its unit runs. */
const agentUser = 'tributary';

const folder = '/run/tributary-userns';

/** Where the user namespace is found that the agent's network belongs to. */
export const userNamespaceFile = `${folder}/user`;
const networkFile = `${folder}/network`;
const namespaceFile = `/run/netns/${namespaceName}`;

/** Numbers of a user and of its group. */
interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The agent's user by the text of /etc/passwd; undefined where the system has none. */
export function findOwner(passwd: string): Owner | undefined {
  const entry = passwd.split('\n').find((line) => line.startsWith(`${agentUser}:`));
  const [, , uid = Number.NaN, gid = Number.NaN] = (entry ?? '').split(':').map(Number);
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}

/**
 * Makes the agent's network namespace. It belongs to a user namespace of the agent's user, or,
 * where there is no such user or user namespaces are switched off, to the host's, as any other.
 * @throws command-failed
 */
export async function makeNamespace(exec: Exec): Promise<void> {
  await forgetOwner(exec);
  const owner = findOwner((await readFileIfThere('/etc/passwd')) ?? '');
  if (owner !== undefined && (await makeOwned(exec, owner))) return;
  const args = ['netns', 'add', namespaceName];
  await exec({ program: 'ip', args, doing: 'making the namespace' });
}

/**
 * Removes the name of the user namespace, which the kernel then forgets with the last process in
 * it; safe to repeat. @throws command-failed
 */
export async function forgetOwner(exec: Exec): Promise<void> {
  if (!(await isThere(folder))) return;
  for (const file of [networkFile, userNamespaceFile]) await unpin(exec, file);
  await rm(folder, { recursive: true });
}

/**
 * Forgets a user namespace to which the network does not belong, as after the network was made
 * again by hand: the agent would enter it, and could do nothing there. @throws command-failed
 */
export async function checkOwner(exec: Exec): Promise<void> {
  if (!(await isThere(userNamespaceFile))) return;
  // With the rights of that user namespace alone. Who has none over this network is shown no table.
  const into = ['--setuid=0', `--user=${userNamespaceFile}`, `--net=${namespaceFile}`];
  const args = ['--preserve-credentials', ...into, 'nft', 'list', 'tables'];
  const doing = 'looking whom the namespace belongs to';
  const fits = await exec({ program: 'nsenter', args, doing }).catch(toUndefined('command-failed'));
  if (fits === undefined) await forgetOwner(exec);
}

/** False where this kernel, or its owner, does not allow it; nothing is left of it then. */
async function makeOwned(exec: Exec, owner: Owner): Promise<boolean> {
  await mkdir(folder);
  // The agent's user has to get there, whatever mask root has.
  await chmod(folder, 0o755);
  for (const file of [userNamespaceFile, networkFile]) await writeFile(file, '');
  const make = (namespaces: readonly string[]) =>
    exec({
      program: 'setpriv',
      args: [...becomeMaker(owner), ...namespaces],
      doing: "making the namespace of the agent's user",
    });
  try {
    // Without names first: where it fails with them, unshare leaves a process that waits for ever.
    await make(['unshare', '--user', '--net', '--mount', '--map-root-user', 'true']);
    await make(makeBoth);
    // `ip` gives it its name, in a folder that it makes as for any other network namespace.
    const named = `exec ip netns attach ${namespaceName} $$`;
    await exec({
      program: 'nsenter',
      args: [`--net=${networkFile}`, 'sh', '-c', named],
      doing: 'naming the namespace',
    });
    await unpin(exec, networkFile);
    return true;
  } catch (error) {
    await forgetOwner(exec);
    if (hasCode(error, 'command-failed')) return false;
    throw error;
  }
}

// Who makes a user namespace owns it, so it is made by the agent's user. With this right that user
// may make it, and name it, also where ordinary users may not.
function becomeMaker({ uid, gid }: Owner): readonly string[] {
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--keep-groups'];
  return [...ids, '--inh-caps=-all,+sys_admin', '--ambient-caps=-all,+sys_admin'];
}

// unshare gives both their names from outside, which takes mounts of the host's: so it has to be
// told to make a mount namespace too, and keep one process out of it. The program that it starts
// has the agent make no user namespaces of its own: what it could do in one nobody has thought of.
// A container that shows the kernel's settings but lets none be changed goes without that.
const makeBoth = [
  'unshare',
  `--user=${userNamespaceFile}`,
  `--net=${networkFile}`,
  '--mount',
  '--map-root-user',
  ...['sh', '-c', 'echo 0 >/proc/sys/user/max_user_namespaces || true'],
];

async function unpin(exec: Exec, file: string): Promise<void> {
  const args = [file];
  // It is no mount where making it was cut short.
  await exec({ program: 'umount', args, doing: `unmounting ${file}` }).catch(
    toUndefined('command-failed'),
  );
  await rm(file, { force: true });
}
