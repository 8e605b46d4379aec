import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf, TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { openPrivatePlace, writeFileAtomic } from '../system/files.ts';
import { findControlSocket, type TunnelHost } from './observe.ts';
import type { TunnelStep } from './plan.ts';
import { renderWireGuard } from './render.ts';

/** Applies the steps one by one. @throws tunnel-failed, state-unwritable, missing-program */
export async function applyTunnel(host: TunnelHost, steps: readonly TunnelStep[]): Promise<void> {
  for (const step of steps) await applyStep(host, step);
}

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

/** A step's program and its arguments; `path` is where the configuration for `wg` lies. */
export function toCommandLine(step: TunnelStep, path: string): readonly [program: string, ...args: string[]] {
  const name = step.interface;
  switch (step.kind) {
    case 'delete-link':
      return ['ip', 'link', 'delete', name];
    case 'create-link':
      return step.backend === 'userspace' ? ['wireguard-go', name] : ['ip', 'link', 'add', name, 'type', 'wireguard'];
    case 'configure':
      // The same peer keeps its session.
      return ['wg', 'syncconf', name, path];
    case 'add-address':
      // One address without a connected route: the gateway's own table leads into the tunnel, nothing else does.
      return ['ip', 'address', 'add', toHostPrefix(step.address), 'dev', name, 'noprefixroute'];
    case 'remove-address':
      return ['ip', 'address', 'delete', toHostPrefix(step.address), 'dev', name];
    case 'set-mtu':
      return ['ip', 'link', 'set', name, 'mtu', String(step.mtu)];
    case 'set-up':
      return ['ip', 'link', 'set', name, 'up'];
  }
}

function describeStep(step: Exclude<TunnelStep, { readonly kind: 'create-link' }>): string {
  switch (step.kind) {
    case 'delete-link':
      return `removing the interface ${step.interface}`;
    case 'configure':
      return `configuring ${step.interface}`;
    case 'add-address':
      return `adding ${step.address}`;
    case 'remove-address':
      return `removing address ${step.address}`;
    case 'set-mtu':
      return `setting the MTU of ${step.interface}`;
    case 'set-up':
      return `bringing ${step.interface} up`;
  }
}

async function applyStep(host: TunnelHost, step: TunnelStep): Promise<void> {
  const { exec } = host;
  if (step.kind === 'create-link') return createLink(exec, step);
  if (step.kind === 'configure') return configure(host, step);
  await runStep(exec, step, '');
  // wireguard-go ends when its interface goes, and is in no hurry to remove the socket.
  if (step.kind === 'delete-link') await rm(findControlSocket(host, step.interface)).catch(() => undefined);
}

/** By a file, because wg cannot read the sockets that Node uses as pipes. */
async function configure(
  { exec, stateDirectory }: TunnelHost,
  step: TunnelStep & { readonly kind: 'configure' },
): Promise<void> {
  await using place = await openPrivatePlace(stateDirectory);
  const path = join(place.path, 'wireguard.conf');
  await writeFileAtomic(path, renderWireGuard(step.settings));
  await runStep(exec, step, path);
}

async function runStep(exec: Exec, step: Exclude<TunnelStep, { readonly kind: 'create-link' }>, path: string) {
  const [program, ...args] = toCommandLine(step, path);
  await exec({ program, args, doing: describeStep(step) });
}

async function createLink(exec: Exec, step: TunnelStep & { readonly kind: 'create-link' }): Promise<void> {
  const { interface: name, backend } = step;
  const run = ([program, ...args]: ReturnType<typeof toCommandLine>, doing: string, env = {}) =>
    exec({ program, args, doing, env });
  if (backend !== 'userspace') {
    try {
      await run(toCommandLine(step, ''), `making the WireGuard interface ${name}`);
      return;
    } catch (error) {
      if (backend === 'kernel') throw createTunnelError(error, 'this kernel has no WireGuard');
    }
  }
  try {
    // It puts itself into the background once the interface is there, and outlives the agent: a restart finds it.
    // With a log level in its environment it would keep our pipes open, and we would wait for its end.
    const env = { LOG_LEVEL: '' };
    await run(toCommandLine({ ...step, backend: 'userspace' }, ''), `starting wireguard-go for ${name}`, env);
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
