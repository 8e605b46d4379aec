import { parsePrefix } from '../lib/addresses.ts';
import type { DesiredTunnel } from './state.ts';

/** A tunnel as far as this system can have it. */
export interface FittedTunnel {
  readonly tunnel: DesiredTunnel;
  /** What it cannot have of the issued one: its IPv6 address, or anything at all; undefined: it has all of it. */
  readonly missing: 'ipv6' | 'everything' | undefined;
}

/** Leaves out IPv6 where it is switched off: the kernel refuses such an address, and with it the whole tunnel. */
export function fitTunnel(desired: DesiredTunnel, { hasIpv6 }: { readonly hasIpv6: boolean }): FittedTunnel {
  if (hasIpv6 || desired.kind !== 'present') return { tunnel: desired, missing: undefined };
  const { spec } = desired;
  const addresses = spec.addresses.filter(({ family }) => family === 4);
  const allowedIps = spec.peer.allowedIps.filter((prefix) => parsePrefix(prefix)?.family === 4);
  if (addresses.length === 0 || allowedIps.length === 0) {
    return { tunnel: { kind: 'absent', interface: desired.interface }, missing: 'everything' };
  }
  const tunnel = { ...desired, spec: { ...spec, addresses, peer: { ...spec.peer, allowedIps } } };
  // Without an address of its own nothing came in by IPv6 anyway: prefixes alone are no loss.
  return { tunnel, missing: addresses.length < spec.addresses.length ? 'ipv6' : undefined };
}
