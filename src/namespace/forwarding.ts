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
 * Interfaces that forward, or will, only because the namespace needs it: neither was it so before,
 * nor has another program begun to forward since, as Docker does when it starts. An interface whose
 * setting decides is the one by which a packet comes in.
 */
export async function listSwitched(
  host: NamespaceHost,
  uplink: string | undefined,
): Promise<readonly string[]> {
  if (await hasAnotherForwarder(host)) return [];
  const former = (await listRemembered(host)).map(({ name }) => name);
  const isToCome = uplink !== undefined && (await readSysctl(toForwardingPath(uplink))) !== '1';
  return [...new Set([...former, ...(isToCome ? [uplink] : [])])];
}

/** Puts interfaces back that were the uplink once and forward still. */
export async function switchFormerOff(
  host: NamespaceHost,
  uplink: string | undefined,
): Promise<void> {
  if (await hasAnotherForwarder(host)) return;
  for (const { name, path, before } of await listRemembered(host)) {
    const now = await readSysctl(path);
    if (name !== uplink && now !== undefined && now !== before) await writeSysctl(path, before);
  }
}

/** The interfaces that were switched, with the value from before. */
async function listRemembered({ restore }: NamespaceHost) {
  return Object.entries(await restore.read()).flatMap(([path, before]) => {
    const name = /^net\/ipv4\/conf\/([^/]+)\/forwarding$/.exec(path)?.[1];
    return name === undefined || path === everywhere ? [] : [{ name, path, before }];
  });
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
