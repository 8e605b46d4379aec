import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf, TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { writeFileAtomic } from '../system/files.ts';
import { toControlSocket } from './observe.ts';
import type { TunnelStep } from './plan.ts';
import { renderWireGuard } from './render.ts';
import type { DesiredTunnel } from './state.ts';

/** Applies the steps one by one. @throws tunnel-failed, state-unwritable, missing-program */
export async function applyTunnel(
  exec: Exec,
  desired: DesiredTunnel,
  steps: readonly TunnelStep[],
  stateDirectory: string,
): Promise<void> {
  for (const step of steps) await applyStep(exec, desired, step, stateDirectory);
}

/** Points the peer at a newly resolved address; sessions and counters stay. @throws command-failed */
export async function moveEndpoint(exec: Exec, name: string, peerKey: string, endpoint: string): Promise<void> {
  const args = ['set', name, 'peer', peerKey, 'endpoint', endpoint];
  await exec({ program: 'wg', args, doing: `pointing ${name} at ${endpoint}` });
}

async function applyStep(exec: Exec, desired: DesiredTunnel, step: TunnelStep, stateDirectory: string): Promise<void> {
  const name = desired.interface;
  const ip = (args: readonly string[], doing: string) => exec({ program: 'ip', args, doing });
  switch (step.kind) {
    case 'delete-link':
      await ip(['link', 'delete', name], `removing the interface ${name}`);
      // wireguard-go ends when its interface goes, and is in no hurry to remove the socket.
      await rm(toControlSocket(name), { force: true }).catch(() => undefined);
      return;
    case 'create-link':
      return createLink(exec, name, step.backend);
    case 'configure':
      if (desired.kind === 'present') await configure(exec, desired, stateDirectory);
      return;
    case 'add-address':
      // One address without a connected route: the gateway's own table leads into the tunnel, nothing else does.
      await ip(['address', 'add', toHostPrefix(step.address), 'dev', name, 'noprefixroute'], `adding ${step.address}`);
      return;
    case 'remove-address':
      await ip(['address', 'delete', toHostPrefix(step.address), 'dev', name], `removing address ${step.address}`);
      return;
    case 'set-mtu':
      await ip(['link', 'set', name, 'mtu', String(step.mtu)], `setting the MTU of ${name}`);
      return;
    case 'set-up':
      await ip(['link', 'set', name, 'up'], `bringing ${name} up`);
      return;
  }
}

async function createLink(exec: Exec, name: string, backend: 'kernel' | 'userspace' | 'auto'): Promise<void> {
  if (backend !== 'userspace') {
    try {
      const args = ['link', 'add', name, 'type', 'wireguard'];
      await exec({ program: 'ip', args, doing: `making the WireGuard interface ${name}` });
      return;
    } catch (error) {
      if (backend === 'kernel') throw toTunnelError(error, 'this kernel has no WireGuard');
    }
  }
  try {
    // It puts itself into the background once the interface is there, and outlives the agent: a restart finds it.
    // With a log level in its environment it would keep our pipes open, and we would wait for its end.
    const env = { LOG_LEVEL: '' };
    await exec({ program: 'wireguard-go', args: [name], doing: `starting wireguard-go for ${name}`, env });
  } catch (error) {
    throw toTunnelError(error, 'neither the kernel nor wireguard-go could make the tunnel interface');
  }
}

function toTunnelError(error: unknown, what: string): unknown {
  if (!hasCode(error, 'command-failed', 'missing-program')) return error;
  const code = error.code === 'missing-program' ? 'missing-program' : 'tunnel-failed';
  return new TributaryError(code, `${what}: ${messageOf(error)}`, { cause: error });
}

/** A file, because wg cannot read the sockets that Node uses as pipes. The same peer keeps its session (`syncconf`). */
async function configure(
  exec: Exec,
  desired: Extract<DesiredTunnel, { kind: 'present' }>,
  stateDirectory: string,
): Promise<void> {
  const path = join(stateDirectory, 'wireguard.conf');
  await writeFileAtomic(path, renderWireGuard(desired.spec, desired.endpoint, desired.persistentKeepaliveSeconds));
  const args = ['syncconf', desired.interface, path];
  await exec({ program: 'wg', args, doing: `configuring ${desired.interface}` });
}

function toHostPrefix(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}
