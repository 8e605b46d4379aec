import { rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { hasCode, messageOf, TributaryError } from '../../errors/codes.ts';
import type { Exec, Talk } from '../../system/exec.ts';
import { findControlSocket, type TunnelHost } from './observe.ts';
import type { TunnelStep } from './plan.ts';
import { renderWireGuard } from './render.ts';

/** Applies the steps in their order. @throws tunnel-failed, missing-program */
export async function applyTunnel(host: TunnelHost, steps: readonly TunnelStep[]): Promise<void> {
  for (const step of steps) await applyStep(host, step);
}

/**
 * Points the peer at a newly resolved address. Sessions and counters stay.
 * @throws command-failed
 */
export async function moveEndpoint(
  exec: Exec,
  move: { readonly interface: string; readonly peerPublicKey: string; readonly endpoint: string },
): Promise<void> {
  const args = ['set', move.interface, 'peer', move.peerPublicKey, 'endpoint', move.endpoint];
  await exec({ program: 'wg', args, doing: `pointing ${move.interface} at ${move.endpoint}` });
}

/**
 * Removes a peer that has moved, with its session, which its new place does not know: the pass
 * gives it its settings again, and with them a handshake at once. @throws command-failed
 */
export async function removePeer(exec: Exec, device: string, publicKey: string): Promise<void> {
  const args = ['set', device, 'peer', publicKey, 'remove'];
  await exec({ program: 'wg', args, doing: `removing the peer of ${device}` });
}

/**
 * The command for a step, and what it does in words: `adding 10.64.0.2`. `wg` reads the
 * configuration, which is not in it, from its standard input.
 */
export function toCommand(step: TunnelStep) {
  const name = step.interface;
  const ip = (doing: string, ...args: readonly string[]) => ({ program: 'ip', args, doing });
  const tell = (doing: string, ...args: readonly string[]) => {
    const talk: Talk = { to: 'ip', lines: [args.join(' ')], isChange: true };
    return { ...ip(doing, ...args), talk };
  };
  switch (step.kind) {
    case 'delete-link':
      return ip(`removing the interface ${name}`, 'link', 'delete', name);
    case 'create-link':
      return step.backend === 'userspace'
        ? { program: 'wireguard-go', args: [name], doing: `starting wireguard-go for ${name}` }
        : ip(`making the WireGuard interface ${name}`, 'link', 'add', name, 'type', 'wireguard');
    case 'configure':
      // Unlike `setconf`, `syncconf` keeps the session of a peer that is unchanged.
      return {
        program: 'wg',
        args: ['syncconf', name, '/dev/stdin'],
        doing: `configuring ${name}`,
      };
    case 'add-address':
      // A single address makes no connected route: only the gateway's own table leads into the
      // tunnel.
      return tell(
        `adding ${step.address}`,
        'address',
        'add',
        toHostPrefix(step.address),
        'dev',
        name,
        'noprefixroute',
      );
    case 'remove-address':
      return tell(
        `removing address ${step.address}`,
        'address',
        'delete',
        toHostPrefix(step.address),
        'dev',
        name,
      );
    case 'set-mtu':
      return tell(`setting the MTU of ${name}`, 'link', 'set', name, 'mtu', String(step.mtu));
    case 'set-up':
      return tell(`bringing ${name} up`, 'link', 'set', name, 'up');
  }
}

async function applyStep(host: TunnelHost, step: TunnelStep): Promise<void> {
  const { exec } = host;
  if (step.kind === 'create-link') return createLink(exec, step);
  if (step.kind === 'configure') {
    const input = renderWireGuard(step.settings);
    return void (await exec({ ...toCommand(step), input, opensInput: true }));
  }
  await exec(toCommand(step));
  // wireguard-go ends with its interface, but may leave its socket for a while.
  if (step.kind === 'delete-link')
    await rm(findControlSocket(host, step.interface)).catch(() => undefined);
}

async function createLink(
  exec: Exec,
  step: TunnelStep & { readonly kind: 'create-link' },
): Promise<void> {
  const { backend } = step;
  if (backend !== 'userspace') {
    try {
      return void (await exec(toCommand(step)));
    } catch (error) {
      if (backend === 'kernel') throw createTunnelError(error, 'this kernel has no WireGuard');
    }
  }
  try {
    // wireguard-go goes into the background once the interface exists, and outlives the agent, so a
    // restart finds it. With a log level in its environment it would keep our pipes open, and we
    // would wait for its end.
    await exec({ ...toCommand({ ...step, backend: 'userspace' }), env: { LOG_LEVEL: '' } });
  } catch (error) {
    throw createTunnelError(
      error,
      'neither the kernel nor wireguard-go could make the tunnel interface',
    );
  }
}

function createTunnelError(error: unknown, what: string): unknown {
  if (!hasCode(error, 'command-failed', 'missing-program')) return error;
  const code = error.code === 'missing-program' ? 'missing-program' : 'tunnel-failed';
  return new TributaryError(code, `${what}: ${messageOf(error)}`, { cause: error });
}

function toHostPrefix(address: string): string {
  return `${address}/${isIPv6(address) ? 128 : 32}`;
}
