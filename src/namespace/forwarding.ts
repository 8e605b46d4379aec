import { readSysctl, writeSysctl } from '../system/sysctl.ts';
import type { NamespaceHost } from './up.ts';

/** The kernel setting by which an interface of this name forwards IPv4 packets. */
export function toForwardingPath(name: string): string {
  return `net/ipv4/conf/${name}/forwarding`;
}

/**
 * The setting for all interfaces at once. It is never changed here, so any change of it comes from
 * another program.
 */
export const everywhere = 'net/ipv4/conf/all/forwarding';

/**
 * True where the host did not forward before and has not begun to since, as it does when Docker
 * starts.
 */
export async function isSwitchedByUs(host: NamespaceHost, path: string): Promise<boolean> {
  if (await hasAnotherForwarder(host)) return false;
  return (await host.restore.read())[path] !== undefined || (await readSysctl(path)) !== '1';
}

export async function hasAnotherForwarder({ restore }: NamespaceHost): Promise<boolean> {
  return (await restore.read())[everywhere] === '0' && (await readSysctl(everywhere)) === '1';
}

export async function switchForwardingOn({ restore }: NamespaceHost, path: string): Promise<void> {
  if ((await readSysctl(path)) === '1') return;
  await restore.remember(everywhere, (await readSysctl(everywhere)) ?? '0');
  await restore.remember(path, '0');
  await writeSysctl(path, '1');
}
