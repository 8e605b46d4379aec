import { echo, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import { usualSegments } from './segments.ts';

/**
 * What has to reach the Internet while providing: without it, nothing seen elsewhere would say
 * nothing.
 */
export const controls: readonly { readonly name: string; readonly packet: Packet }[] = [
  { name: 'UDP', packet: udp(own.public4) },
  { name: 'TCP', packet: syn(own.public4) },
  { name: 'TCP to a port that is blocked for UDP', packet: syn(own.public4, 1900) },
  { name: 'an echo', packet: echo(own.public4) },
  { name: 'UDP over IPv6', packet: udp(own.public6) },
  { name: 'TCP over IPv6', packet: syn(own.public6) },
  { name: 'an echo over IPv6', packet: echo(own.public6) },
  ...usualSegments.map((packet) => ({
    name: 'TCP with the smallest usual segments, or with usual options',
    packet,
  })),
];
