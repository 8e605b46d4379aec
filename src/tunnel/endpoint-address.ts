import { isInAny } from '../lib/addresses.ts';

const impossible = ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/128', 'fe80::/10', 'ff00::/8', '::ffff:0:0/96'];
const loopback = ['127.0.0.0/8', '::1/128'];

/**
 * Why an address can be no peer's endpoint; undefined: it can. Loopback is for a service that is on loopback itself (a
 * trial on one machine).
 */
export function findEndpointFault(address: string, isServiceOnLoopback: boolean): string | undefined {
  if (isInAny(address, impossible)) return `${address} can be no server's address`;
  return isInAny(address, loopback) && !isServiceOnLoopback ? `${address} is this device itself` : undefined;
}
