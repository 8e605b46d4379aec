import { parsePrefix } from '../../lib/addresses.ts';
import { mostOverheadBytes } from '../packet-bytes.ts';
import type { Ground } from '../source.ts';
import { type DesiredTunnel, defaultMtu } from './state.ts';

/** The tunnel that is possible here, and what it lacks of the issued one. */
export interface FittedTunnel {
  readonly tunnel: DesiredTunnel;
  /** What is missing: its IPv6 address, or all of it; undefined if nothing is. */
  readonly missing: 'ipv6' | 'everything' | undefined;
}

/**
 * Leaves IPv6 out where it is switched off, because the kernel would refuse the whole tunnel. The
 * MTU (bytes) is fitted to the uplink's.
 */
export function fitTunnel(desired: DesiredTunnel, ground: Ground): FittedTunnel {
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
  { hasIpv6, uplinkMtu = 1500 }: Ground,
): FittedTunnel {
  const { spec } = desired;
  const addresses = spec.addresses.filter(({ family }) => hasIpv6 || family === 4);
  const allowedIps = spec.peer.allowedIps.filter(
    (prefix) => hasIpv6 || parsePrefix(prefix)?.family === 4,
  );
  if (addresses.length === 0 || allowedIps.length === 0) {
    return { tunnel: { kind: 'absent', interface: desired.interface }, missing: 'everything' };
  }
  // The kernel removes IPv6 from an interface with a smaller MTU.
  const leastMtu = addresses.some(({ family }) => family === 6) ? 1280 : 576;
  const mtu = Math.max(leastMtu, Math.min(spec.mtu ?? defaultMtu, uplinkMtu - mostOverheadBytes));
  const tunnel = {
    ...desired,
    spec: { ...spec, addresses, mtu, peer: { ...spec.peer, allowedIps } },
  };
  // Without an IPv6 address of its own the tunnel could not receive IPv6 anyway, so the loss of
  // prefixes alone does not count.
  return { tunnel, missing: addresses.length < spec.addresses.length ? 'ipv6' : undefined };
}
