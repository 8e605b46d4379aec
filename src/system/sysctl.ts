import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { attempt } from '../lib/attempt.ts';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { SystemError } from './errors.ts';

/**
 * A kernel setting's value, by its path under /proc/sys: `net/ipv4/conf/eth0/forwarding`. (Names of
 * interfaces may hold dots, so the dotted form is not used.) undefined where this kernel or
 * namespace has no such setting.
 */
export async function readSysctl(path: string): Promise<string | undefined> {
  // The kernel has it in memory: waiting for a thread would cost more than reading it here.
  return attempt(() => readFileSync(join('/proc/sys', path), 'utf8').trim());
}

/**
 * False on a kernel that was built or started without IPv6; it refuses every question about IPv6.
 */
export async function speaksIpv6(): Promise<boolean> {
  return (await readSysctl('net/ipv6/conf/default/disable_ipv6')) !== undefined;
}

/**
 * True where IPv6 is on for the interface; before it exists, where IPv6 is on for new interfaces.
 */
export async function hasIpv6(interfaceName: string): Promise<boolean> {
  const ask = (name: string) => readSysctl(`net/ipv6/conf/${name}/disable_ipv6`);
  return ((await ask(interfaceName)) ?? (await ask('default'))) === '0';
}

/**
 * False where IPv6 is not forwarded and nothing here can change that: in a container the kernel's
 * settings are read-only, and the command that starts it usually sets none of IPv6.
 */
export async function mayForwardIpv6(): Promise<boolean> {
  const path = 'net/ipv6/conf/all/forwarding';
  return (await readSysctl(path)) === '1' || !isReadOnly(path);
}

/** Opens the setting for writing, and writes nothing. */
function isReadOnly(path: string): boolean {
  try {
    closeSync(openSync(join('/proc/sys', path), constants.O_WRONLY));
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'EROFS';
  }
}

/** What limits how many connections this machine can keep. */
export interface ConnectionRoom {
  readonly memoryBytes: number;
  /** How many connections the kernel tracks at most; undefined before it tracks any. */
  readonly conntrackMax: number | undefined;
}

export async function observeConnectionRoom(): Promise<ConnectionRoom> {
  const most = Number(await readSysctl('net/netfilter/nf_conntrack_max'));
  return { memoryBytes: totalmem(), conntrackMax: most > 0 ? most : undefined };
}

/**
 * Writes a kernel setting.
 * @throws not-allowed where /proc/sys is read-only or the setting refuses the value
 */
export async function writeSysctl(path: string, value: string): Promise<void> {
  await writeFile(join('/proc/sys', path), value).catch((cause: unknown) => {
    const hint = systemCodeOf(cause) === 'EROFS' ? `; ${inContainers}` : '';
    throw new SystemError(
      'not-allowed',
      `setting ${path} to ${value}: ${messageOf(cause)}${hint}`,
      { cause },
    );
  });
}

/**
 * Only the command that starts the container can set these. Both also hold for interfaces that are
 * made later. A container that is started without them takes its host's (devconf_inherit_init_net
 * of the kernel), which is all that the owner of a Home Assistant add-on can set.
 */
const inContainers =
  'a container has to be started with --sysctl net.ipv4.ip_forward=1 --sysctl net.ipv4.conf.default.rp_filter=2; where its flags are not yours to choose, as of a Home Assistant add-on, set both on the host and start it again';
