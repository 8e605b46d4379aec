import { join } from 'node:path';
import { toUndefined } from '../../lib/errors.ts';
import type { Exec } from '../../system/exec.ts';
import { isThere } from '../../system/files.ts';
import type { Interface } from '../../system/ip.ts';
import { observeWireGuard, observeWireGuardGo } from '../../system/wg.ts';
import { toPublicKey } from '../../system/wireguard-keys.ts';

export interface TunnelHost {
  readonly exec: Exec;
  readonly stateDirectory: string;
  /**
   * Where wireguard-go listens for `wg`, whatever the network namespace; undefined: its usual
   * place.
   */
  readonly controlDirectory?: string | undefined;
}

/**
 * The socket of the wireguard-go that serves an interface, while one does, or left behind by one.
 */
export function findControlSocket(
  { controlDirectory }: Pick<TunnelHost, 'controlDirectory'>,
  name: string,
): string {
  return join(controlDirectory ?? '/var/run/wireguard', `${name}.sock`);
}

/** The tunnel interface as it is among these interfaces. @throws missing-program */
export async function observeTunnel(
  host: Omit<TunnelHost, 'stateDirectory'>,
  name: string,
  interfaces: readonly Interface[],
) {
  const link = interfaces.find((candidate) => candidate.name === name);
  if (link === undefined) return { kind: 'absent' } as const;
  const socket = findControlSocket(host, name);
  const isUserspace = link.kind === 'tun' && (await isThere(socket));
  const asked = isUserspace ? await observeWireGuardGo(socket, toPublicKey) : undefined;
  const backend = link.kind === 'wireguard' ? 'kernel' : isUserspace ? 'userspace' : undefined;
  return {
    kind: 'present',
    /** undefined: an interface of another kind has the name. */
    backend,
    isUp: link.isUp,
    mtu: link.mtu,
    addresses: link.addresses
      .filter((own) => !own.address.startsWith('fe80:'))
      .map((own) => own.address),
    /** undefined: the interface is there and nothing answers for it (wireguard-go has died). */
    wireGuard:
      asked ??
      (backend && (await observeWireGuard(host.exec, name).catch(toUndefined('command-failed')))),
  } as const;
}
