import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf, TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { openPrivatePlace, writeFileAtomic } from '../system/files.ts';
import { findControlSocket, type TunnelHost } from './observe.ts';
import type { TunnelStep } from './plan.ts';
import { renderWireGuard } from './render.ts';
import type { Backend } from './state.ts';

/** Applies the steps one by one. @throws tunnel-failed, state-unwritable, missing-program */
export async function applyTunnel(host: TunnelHost, steps: readonly TunnelStep[]): Promise<void> {
  for (const step of steps) await applyStep(host, step);
}

/** Where a peer is from now on. */
export interface PeerMove {
  readonly interface: string;
  readonly peerPublicKey: string;
  readonly endpoint: string;
}

/** Points the peer at a newly resolved address; sessions and counters stay. @throws command-failed */
export async function moveEndpoint(exec: Exec, move: PeerMove): Promise<void> {
  const args = ['set', move.interface, 'peer', move.peerPublicKey, 'endpoint', move.endpoint];
  await exec({ program: 'wg', args, doing: `pointing ${move.interface} at ${move.endpoint}` });
}

async function applyStep(host: TunnelHost, step: TunnelStep): Promise<void> {
  const { exec, stateDirectory } = host;
  const name = step.interface;
  const ip = async (args: readonly string[], doing: string) => void (await exec({ program: 'ip', args, doing }));
  switch (step.kind) {
    case 'delete-link':
      await ip(['link', 'delete', name], `removing the interface ${name}`);
      // wireguard-go ends when its interface goes, and is in no hurry to remove the socket.
      return rm(findControlSocket(host, name)).catch(() => undefined);
    case 'create-link':
      return createLink(exec, name, step.backend);
    case 'configure': {
      // A file, because wg cannot read the sockets that Node uses as pipes. The same peer keeps its session (`syncconf`).
      await using place = await openPrivatePlace(stateDirectory);
      const path = join(place.path, 'wireguard.conf');
      await writeFileAtomic(path, renderWireGuard(step.settings));
      await exec({ program: 'wg', args: ['syncconf', name, path], doing: `configuring ${name}` });
      return;
    }
    case 'add-address':
      // One address without a connected route: the gateway's own table leads into the tunnel, nothing else does.
      return ip(['address', 'add', toHostPrefix(step.address), 'dev', name, 'noprefixroute'], `adding ${step.address}`);
    case 'remove-address':
      return ip(['address', 'delete', toHostPrefix(step.address), 'dev', name], `removing address ${step.address}`);
    case 'set-mtu':
      return ip(['link', 'set', name, 'mtu', String(step.mtu)], `setting the MTU of ${name}`);
    case 'set-up':
      return ip(['link', 'set', name, 'up'], `bringing ${name} up`);
  }
}

async function createLink(exec: Exec, name: string, backend: Backend | 'auto'): Promise<void> {
  if (backend !== 'userspace') {
    try {
      const args = ['link', 'add', name, 'type', 'wireguard'];
      await exec({ program: 'ip', args, doing: `making the WireGuard interface ${name}` });
      return;
    } catch (error) {
      if (backend === 'kernel') throw createTunnelError(error, 'this kernel has no WireGuard');
    }
  }
  try {
    // It puts itself into the background once the interface is there, and outlives the agent: a restart finds it.
    // With a log level in its environment it would keep our pipes open, and we would wait for its end.
    const env = { LOG_LEVEL: '' };
    await exec({ program: 'wireguard-go', args: [name], doing: `starting wireguard-go for ${name}`, env });
  } catch (error) {
    throw createTunnelError(error, 'neither the kernel nor wireguard-go could make the tunnel interface');
  }
}

function createTunnelError(error: unknown, what: string): unknown {
  if (!hasCode(error, 'command-failed', 'missing-program')) return error;
  const code = error.code === 'missing-program' ? 'missing-program' : 'tunnel-failed';
  return new TributaryError(code, `${what}: ${messageOf(error)}`, { cause: error });
}

function toHostPrefix(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}
