import { isInAny } from '../lib/addresses.ts';

const impossible = ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/128', 'fe80::/10', 'ff00::/8', '::ffff:0:0/96'];
const loopback = ['127.0.0.0/8', '::1/128'];

/** What is known about the service from elsewhere. */
export interface ServiceContext {
  /** A service on loopback (a trial on one machine) may name a loopback endpoint; no other may. */
  readonly isServiceOnLoopback: boolean;
}

/** Why an address can be no peer's endpoint; undefined: it can. */
export function findEndpointFault(address: string, { isServiceOnLoopback }: ServiceContext): string | undefined {
  if (isInAny(address, impossible)) return `${address} can be no server's address`;
  return isInAny(address, loopback) && !isServiceOnLoopback ? `${address} is this device itself` : undefined;
}
