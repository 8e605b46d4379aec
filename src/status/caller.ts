import { parsePrefix, toNetwork } from '../lib/addresses.ts';

/**
 * Whom an address stands for where callers are told apart: an IPv4 address, or the /64 that an IPv6 one lies in, of which
 * one neighbour may use every address. '' for the socket, which has no address.
 */
export function nameCaller(address: string | undefined): string {
  const bare = (address ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  const prefix = parsePrefix(bare);
  return prefix?.family === 6 ? toNetwork({ ...prefix, length: 64 }) : bare;
}
