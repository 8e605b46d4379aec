import type { Interface } from '../system/ip.ts';
import type { ObservedDevice } from './source.ts';

/**
 * What a source's device is, as far as the kernel's list of interfaces tells. The address that the
 * kernel itself gives every interface (fe80::) is nobody's setting, and left out.
 */
export function toObservedDevice(link: Interface | undefined): ObservedDevice {
  if (link === undefined) return { kind: 'absent' };
  return {
    kind: 'present',
    isUp: link.isUp,
    mtu: link.mtu,
    addresses: link.addresses
      .map(({ address }) => address)
      .filter((address) => !address.startsWith('fe80:')),
  };
}
