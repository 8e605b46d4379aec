import { parsePrefix } from '../../lib/addresses.ts';
import { type DesiredTunnel, defaultMtu } from './state.ts';

/**
 * IPv6, UDP and WireGuard around a packet of the tunnel, in bytes; a path may turn IPv4 into IPv6
 * on the way.
 */
const overheadBytes = 80;

/** What the machine gives the tunnel to run on. */
interface TunnelGround {
  readonly hasIpv6: boolean;
  /** Bytes; undefined where there is no uplink. */
  readonly uplinkMtu?: number | undefined;
}

/** The tunnel that is possible here, and what it lacks of the issued one. */
export interface FittedTunnel {
  readonly tunnel: DesiredTunnel;
  /** Its IPv6 address, or anything at all; undefined: it has all of it. */
  readonly missing: 'ipv6' | 'everything' | undefined;
}

/**
 * Leaves out IPv6 where it is off: the kernel would refuse the whole tunnel. Its MTU (bytes) fits
 * the uplink's.
 */
export function fitTunnel(desired: DesiredTunnel, ground: TunnelGround): FittedTunnel {
  switch (desired.kind) {
    case 'absent':
    case 'untouched':
      return { tunnel: desired, missing: undefined };
    case 'present':
      return fitPresent(desired, ground);
    default:
      return desired satisfies never;
  }
}

function fitPresent(
  desired: DesiredTunnel & { readonly kind: 'present' },
  { hasIpv6, uplinkMtu = 1500 }: TunnelGround,
): FittedTunnel {
  const { spec } = desired;
  const addresses = spec.addresses.filter(({ family }) => hasIpv6 || family === 4);
  const allowedIps = spec.peer.allowedIps.filter(
    (prefix) => hasIpv6 || parsePrefix(prefix)?.family === 4,
  );
  if (addresses.length === 0 || allowedIps.length === 0) {
    return { tunnel: { kind: 'absent', interface: desired.interface }, missing: 'everything' };
  }
  // The kernel takes IPv6 from an interface that has less.
  const leastMtu = addresses.some(({ family }) => family === 6) ? 1280 : 576;
  const mtu = Math.max(leastMtu, Math.min(spec.mtu ?? defaultMtu, uplinkMtu - overheadBytes));
  const tunnel = {
    ...desired,
    spec: { ...spec, addresses, mtu, peer: { ...spec.peer, allowedIps } },
  };
  // Without an address of its own nothing came in by IPv6 anyway: prefixes alone are no loss.
  return { tunnel, missing: addresses.length < spec.addresses.length ? 'ipv6' : undefined };
}
