import { readdir, readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { isInAny } from '../lib/addresses.ts';

/** An address of these is the host itself, which a network namespace has another of. */
const itself = ['127.0.0.0/8', '0.0.0.0/8'];

/**
 * The name servers in the text of a resolv.conf, or of a lease as systemd-networkd keeps it, that
 * are reached from another network namespace: over IPv4, and not at the host's loopback.
 */
export function readNameServers(text: string): readonly string[] {
  const named = text.split('\n').flatMap((line) => {
    const [, server, leased] = /^\s*nameserver\s+(\S+)|^DNS=(.*)/.exec(line) ?? [];
    return server === undefined ? (leased?.trim().split(/\s+/) ?? []) : [server];
  });
  return [...new Set(named.filter((server) => isIPv4(server) && !isInAny(server, itself)))];
}

/**
 * Where programs note the servers that the network has named, whatever /etc/resolv.conf says:
 * NetworkManager, systemd-networkd, resolvconf with what it gives dnsmasq, and dhcpcd.
 */
const leasePlaces = [
  '/run/NetworkManager/no-stub-resolv.conf',
  '/run/NetworkManager/resolv.conf',
  '/run/systemd/netif/leases',
  '/run/dnsmasq/resolv.conf',
  '/run/resolvconf/interface',
  '/run/resolvconf/interfaces',
  '/run/dhcpcd/hook-state/resolv.conf',
] as const;

/**
 * What was noted at each place, a folder's files one below the other. What is not there, or may not
 * be read, is an empty text.
 */
export function readLeases(places: readonly string[] = leasePlaces): Promise<readonly string[]> {
  return Promise.all(places.map(readPlace));
}

async function readPlace(place: string): Promise<string> {
  const names = await readdir(place).catch(() => undefined);
  const files = names === undefined ? [place] : names.sort().map((name) => join(place, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.join('\n');
}
