import { readFileIfThere } from '../system/files.ts';
import { observeListeningAddresses } from '../system/listening-ports.ts';
import { readLeases, readNameServers } from '../system/name-servers.ts';

/**
 * The name servers that this host has for the namespace; none if nothing here names one that can be
 * reached from inside.
 * @param addresses this host's own that are reached from inside, best first
 */
export async function findNameServers(addresses: readonly string[]): Promise<readonly string[]> {
  const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
  const texts = [...(await Promise.all(files.map(readFileIfThere))), ...(await readLeases())];
  const named = chooseNameServers(...texts);
  return named.length > 0 ? named : chooseOwnServer(addresses, await observeListeningAddresses(53));
}

/**
 * Name servers that can be reached from the namespace: the servers of the first text that names any
 * server other than the host itself.
 */
export function chooseNameServers(...texts: readonly (string | undefined)[]): readonly string[] {
  return texts.map((text = '') => readNameServers(text)).find(({ length }) => length > 0) ?? [];
}

/**
 * The host's own name server, at the first of its addresses where it listens: a host that asks none
 * but itself has one, such as Pi-hole, which often answers the whole home.
 */
export function chooseOwnServer(
  addresses: readonly string[],
  listening: readonly string[],
): readonly string[] {
  return addresses
    .filter((address) => listening.includes('0.0.0.0') || listening.includes(address))
    .slice(0, 1);
}

/** What the owner is told where the namespace got no name server; undefined where it has one. */
export function warnOfNoServer(nameServers: readonly string[]): string | undefined {
  if (nameServers.length > 0) return undefined;
  return [
    'tributary: the namespace has no name server that it can reach:',
    '/etc/resolv.conf names none but this host itself or IPv6, and no lease names another.',
    "Add one below the others there, such as your router: nameserver ROUTER'S-ADDRESS\n",
  ].join(' ');
}
