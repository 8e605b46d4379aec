import { type GatewayPolicy, privatePrefixes } from './policy.ts';
import { type Rule, rule } from './rule.ts';

/** Who may connect to this device, and what a link needs; the tunnel's other end only answers our keep-alives. */
export function listVisitors({ pagePort }: GatewayPolicy): readonly Rule[] {
  return [
    rule('neighbours-v6', 'ip6 hoplimit 255 icmpv6 type { 133-137 } accept'),
    rule('listeners-v6', 'ip6 hoplimit 1 icmpv6 type { 130-132, 143 } accept'),
    rule('dhcp-v4', 'fib daddr type broadcast udp sport 67 udp dport 68 accept'),
    rule('dhcp-v6', 'ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept'),
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
