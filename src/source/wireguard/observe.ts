import { join } from 'node:path';
import { toUndefined } from '../../errors/codes.ts';
import type { Exec } from '../../system/exec.ts';
import { isThere } from '../../system/files.ts';
import type { Interface } from '../../system/ip.ts';
import { observeWireGuard, observeWireGuardGo } from '../../system/wg.ts';
import { toPublicKey } from '../../system/wireguard-keys.ts';
import type { ObservedTunnel } from './state.ts';

export interface TunnelHost {
  readonly exec: Exec;
  readonly stateDirectory: string;
  /**
   * The folder of wireguard-go's sockets for `wg`, in any network namespace; undefined for the
   * usual one.
   */
  readonly controlDirectory?: string | undefined;
}

/** The socket of the wireguard-go that serves an interface. It may be missing, or left behind. */
export function findControlSocket(
  { controlDirectory }: Pick<TunnelHost, 'controlDirectory'>,
  name: string,
): string {
  return join(controlDirectory ?? '/var/run/wireguard', `${name}.sock`);
}

/** The tunnel interface as observed among these interfaces. @throws missing-program */
export async function observeTunnel(
  host: Omit<TunnelHost, 'stateDirectory'>,
  name: string,
  interfaces: readonly Interface[],
): Promise<ObservedTunnel> {
  const link = interfaces.find((candidate) => candidate.name === name);
  if (link === undefined) return { kind: 'absent' };
  const socket = findControlSocket(host, name);
  const isUserspace = link.kind === 'tun' && (await isThere(socket));
  const asked = isUserspace ? await observeWireGuardGo(socket, toPublicKey) : undefined;
  const backend = link.kind === 'wireguard' ? 'kernel' : isUserspace ? 'userspace' : undefined;
  return {
    kind: 'present',
    backend,
    isUp: link.isUp,
    mtu: link.mtu,
    addresses: link.addresses
      .filter((own) => !own.address.startsWith('fe80:'))
      .map((own) => own.address),
    wireGuard:
      asked ??
      (backend && (await observeWireGuard(host.exec, name).catch(toUndefined('command-failed')))),
  };
}
