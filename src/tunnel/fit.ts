import { parsePrefix } from '../lib/addresses.ts';
import { type DesiredTunnel, defaultMtu, type TunnelSpec } from './state.ts';

/** A tunnel as far as this system can have it. */
export interface FittedTunnel {
  readonly tunnel: DesiredTunnel;
  /** What it cannot have of the issued one: its IPv6 address, or anything at all; undefined: it has all of it. */
  readonly missing: 'ipv6' | 'everything' | undefined;
}

/** What the tunnel has to fit. */
interface Surroundings {
  readonly hasIpv6: boolean;
  /** Bytes; undefined: there is no uplink. */
  readonly uplinkMtu?: number | undefined;
}

/** IP, UDP and WireGuard around a packet of the tunnel, in bytes. */
export const overheadBytes = { 4: 60, 6: 80 } as const;

/**
 * Leaves out IPv6 where it is switched off: the kernel refuses such an address, and with it the whole tunnel. Its MTU fits
 * the uplink's: what comes from one has to leave by the other.
 */
export function fitTunnel(desired: DesiredTunnel, { hasIpv6, uplinkMtu }: Surroundings): FittedTunnel {
  if (desired.kind !== 'present') return { tunnel: desired, missing: undefined };
  const { spec, endpoint } = desired;
  const addresses = spec.addresses.filter(({ family }) => hasIpv6 || family === 4);
  const allowedIps = spec.peer.allowedIps.filter((prefix) => hasIpv6 || parsePrefix(prefix)?.family === 4);
  if (addresses.length === 0 || allowedIps.length === 0) {
    return { tunnel: { kind: 'absent', interface: desired.interface }, missing: 'everything' };
  }
  const family = endpoint.startsWith('[') ? 6 : 4;
  const mtu = uplinkMtu === undefined ? spec.mtu : fitMtu({ ...spec, addresses }, uplinkMtu - overheadBytes[family]);
  const tunnel = { ...desired, spec: { ...spec, addresses, mtu, peer: { ...spec.peer, allowedIps } } };
  // Without an address of its own nothing came in by IPv6 anyway: prefixes alone are no loss.
  return { tunnel, missing: addresses.length < spec.addresses.length ? 'ipv6' : undefined };
}

/** IPv6 needs 1280 bytes, and the kernel takes it from an interface that has less. */
function fitMtu({ mtu = defaultMtu, addresses }: TunnelSpec, roomBytes: number): number {
  return Math.max(Math.min(mtu, roomBytes), addresses.some(({ family }) => family === 6) ? 1280 : 576);
}
