import { isIPv6 } from 'node:net';
import { parseHostPort } from '../../lib/host-port.ts';
import type { Interface } from '../../system/ip.ts';
import { wireGuardOverheadBytes } from '../packet-bytes.ts';
import {
  type DeviceStep,
  type OuterEndpoint,
  type SourceDriver,
  type SourceWish,
  toPresent,
} from '../source.ts';
import { applyTunnel, toCommand } from './apply.ts';
import { fitTunnel } from './fit.ts';
import { observeTunnel, type TunnelHost } from './observe.ts';
import { planTunnel, type TunnelStep } from './plan.ts';
import { renderWireGuard } from './render.ts';
import { type DesiredTunnel, defaultMtu, type ObservedTunnel } from './state.ts';

/** What the driver needs of a tunnel that is to be there. */
export type PresentTunnel = DesiredTunnel & { readonly kind: 'present' };

/** The wish of a source whose device is a WireGuard tunnel. */
export type TunnelWish = SourceWish<PresentTunnel>;

/** Makes the WireGuard interface what the issued text asks for. */
export type WireGuardDriver = SourceDriver<PresentTunnel, ObservedTunnel, TunnelStep>;

const wireGuardName = 'wireguard';

/** @param device the interface's name: `tunnel.interface` */
export function createWireGuardDriver(host: TunnelHost, device: string): WireGuardDriver {
  return {
    name: wireGuardName,
    device,
    // Which addresses consumers have is the service's affair.
    consumers: undefined,
    fit(wish, ground) {
      const { tunnel, missing } = fitTunnel(toTunnel(wish), ground);
      return { wish: toWish(tunnel), missing };
    },
    observe: (interfaces) => observeTunnel(host, device, interfaces),
    plan: (wish, observed) =>
      planTunnel(toTunnel(wish), observed).map((step) => ({ stage: stages[step.kind], step })),
    apply: (steps) =>
      applyTunnel(
        host,
        steps.map(({ step }) => step),
      ),
    show: showStep,
    findRenamed,
  };
}

const stages = {
  'delete-link': 'remove',
  'create-link': 'make',
  configure: 'change',
  'add-address': 'change',
  'remove-address': 'change',
  'set-mtu': 'change',
  'set-up': 'raise',
} as const satisfies Readonly<Record<TunnelStep['kind'], DeviceStep['stage']>>;

/** A tunnel as the data path is asked for it. */
export function toWish(tunnel: DesiredTunnel): TunnelWish {
  switch (tunnel.kind) {
    case 'absent':
    case 'untouched':
      return { kind: tunnel.kind, device: tunnel.interface };
    case 'present': {
      const outer = toOuter(tunnel.endpoint);
      return {
        kind: 'present',
        device: tunnel.interface,
        addresses: tunnel.spec.addresses,
        mtu: tunnel.spec.mtu ?? defaultMtu,
        outer,
        overheadBytes: wireGuardOverheadBytes[outer?.protocol === 'ip6' ? 6 : 4],
        settings: tunnel,
      };
    }
    default:
      return tunnel satisfies never;
  }
}

function toTunnel(wish: TunnelWish): DesiredTunnel {
  switch (wish.kind) {
    case 'absent':
    case 'untouched':
      return { kind: wish.kind, interface: wish.device };
    case 'present':
      return wish.settings;
    default:
      return wish satisfies never;
  }
}

/** Of an address and port as `wg` writes them. */
function toOuter(endpoint: string): OuterEndpoint | undefined {
  const parsed = parseHostPort(endpoint);
  if (parsed === undefined) return undefined;
  return { protocol: isIPv6(parsed.host) ? 'ip6' : 'ip', address: parsed.host, port: parsed.port };
}

/** A step's command line; below that for `wg` its configuration, whose secrets stay hidden. */
function showStep({ step }: DeviceStep<TunnelStep>): readonly string[] {
  const { program, args } = toCommand(step);
  const line = [program, ...args].join(' ');
  if (step.kind !== 'configure') return [line];
  const settings = renderWireGuard(step.settings, String).trimEnd().split('\n');
  return [line, ...settings.map((text) => `  ${text}`)];
}

/**
 * By its kind and its address alone: nothing else can have both, or the tunnel could not be made.
 */
function findRenamed(wish: TunnelWish, interfaces: readonly Interface[]): string | undefined {
  const present = toPresent(wish);
  if (present === undefined || interfaces.some(({ name }) => name === present.device))
    return undefined;
  const ours = present.addresses.map(({ address }) => address);
  return interfaces.find(
    ({ kind, addresses }) =>
      (kind === 'wireguard' || kind === 'tun') &&
      addresses.some(
        ({ address, family, prefixLength }) =>
          prefixLength === (family === 4 ? 32 : 128) && ours.includes(address),
      ),
  )?.name;
}
