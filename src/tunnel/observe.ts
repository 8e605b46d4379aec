import { hasCode } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { isThere } from '../system/files.ts';
import type { Interface } from '../system/ip.ts';
import { observeWireGuard, type WireGuardInterface } from '../system/wg.ts';
import type { ObservedTunnel } from './state.ts';

/** Where wireguard-go listens for `wg`, whatever the network namespace. */
export function toControlSocket(name: string): string {
  return `/var/run/wireguard/${name}.sock`;
}

/** The tunnel interface as it is among these interfaces. @throws missing-program */
export async function observeTunnel(
  exec: Exec,
  name: string,
  interfaces: readonly Interface[],
): Promise<ObservedTunnel> {
  const link = interfaces.find((candidate) => candidate.name === name);
  if (link === undefined) return { kind: 'absent' };
  const isUserspace = link.kind === 'tun' && (await isThere(toControlSocket(name)));
  const backend = link.kind === 'wireguard' ? 'kernel' : isUserspace ? 'userspace' : undefined;
  return {
    kind: 'present',
    backend,
    isUp: link.isUp,
    mtu: link.mtu,
    addresses: link.addresses.filter((own) => !own.address.startsWith('fe80:')).map((own) => own.address),
    wireGuard: backend === undefined ? undefined : await askWireGuard(exec, name),
  };
}

async function askWireGuard(exec: Exec, name: string): Promise<WireGuardInterface | undefined> {
  try {
    return await observeWireGuard(exec, name);
  } catch (error) {
    if (hasCode(error, 'command-failed')) return undefined;
    throw error;
  }
}
