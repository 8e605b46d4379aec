import type { PortRange } from '../lib/consumer-ports.ts';
import { type GatewayPolicy, privatePrefixes } from './policy.ts';
import { type Rule, rule } from './rule.ts';

/** Who may open a connection to this device, and what a link needs. */
export function listVisitors({ peerEndpoint, pagePort, consumerPorts }: GatewayPolicy): readonly Rule[] {
  const peer = /^\[?([\da-f.:]+?)\]?:(\d+)$/.exec(peerEndpoint ?? '');
  const [, address = '', port] = peer ?? [];
  const source = `${address.includes(':') ? 'ip6' : 'ip'} saddr ${address}`;
  return [
    rule('link-v6', 'icmpv6 type { 130-137, 143 } accept'),
    rule('dhcp-v4', 'udp sport 67 udp dport 68 accept'),
    rule('dhcp-v6', 'ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept'),
    ...(peer === null ? [] : [rule('peer', `${source} udp sport ${port} ${toOwnPort(consumerPorts)}accept`)]),
    rule('own-v4', 'ip saddr @own4 accept'),
    rule('own-v6', 'ip6 saddr @own6 accept'),
    // A container's published port keeps the address of who asks, from wherever in the home.
    ...(pagePort === undefined
      ? []
      : [
          rule('page-v4', `ip saddr { ${privatePrefixes.v4.join(', ')} } tcp dport ${pagePort} accept`),
          rule('page-v6', `ip6 saddr ${privatePrefixes.v6[0]} tcp dport ${pagePort} accept`),
        ]),
  ];
}

function toOwnPort(ports: PortRange | undefined): string {
  return ports === undefined ? '' : `udp dport != ${ports.first}-${ports.last} `;
}
