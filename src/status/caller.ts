import { parsePrefix, toNetwork } from '../lib/addresses.ts';

/** Who calls: an IPv4 address, or the /64 of an IPv6 one, since one neighbour may use all of it; '' for the socket. */
export function nameCaller(address: string | undefined): string {
  const bare = (address ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  const prefix = parsePrefix(bare);
  return prefix?.family === 6 ? toNetwork({ ...prefix, length: 64 }) : bare;
}
