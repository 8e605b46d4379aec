import type { Lab } from '../../tools/lab/lab.ts';
import type { HostName } from '../../tools/lab/network.ts';
import { attackAddresses as own } from './packet-data.ts';

/**
 * Gives the lab's home and Internet IPv6, a public address of the home, and the router's firewall
 * against what comes from outside.
 */
export async function makeDualStack(lab: Lab): Promise<void> {
  const quick = 'for file in /proc/sys/net/ipv6/conf/*/accept_dad; do echo 0 >$file; done';
  const scripts: Partial<Record<HostName, readonly string[]>> = {
    internet: [
      `ip address add ${own.public4}/32 dev lo`,
      `ip address add ${own.public6}/128 dev lo`,
      'ip address add 2a00:aa::1/64 dev to-home',
      'ip -6 route add 2a00:77:77::/48 via 2a00:aa::2',
      `ip route add ${own.home4} via 203.0.113.2`,
      'sysctl -qw net.ipv6.conf.all.forwarding=1',
    ],
    home: [
      `ip address add ${own.router6}/64 dev lan0`,
      `ip address add ${own.guest6}/64 dev lo`,
      `ip address add ${own.routerWan6}/64 dev wan0`,
      `ip address add ${own.home4}/32 dev wan0`,
      'ip -6 route add default via 2a00:aa::1',
      'sysctl -qw net.ipv6.conf.all.forwarding=1',
      `nft '${firewall}'`,
    ],
    nas: [
      `ip address add ${own.nas6}/64 dev lan0`,
      `ip address add ${own.routed4}/32 dev lo`,
      `ip address add ${own.routed6}/128 dev lo`,
      `ip -6 route add default via ${own.router6}`,
    ],
    device: [
      `ip address add ${own.device6}/64 dev lan0`,
      `ip -6 route add default via ${own.router6}`,
      `ip route add ${own.narrow4} via ${own.router4} mtu 1280`,
      `ip -6 route add ${own.narrow6} via ${own.router6} mtu 1280`,
      `ip route add 84.20.0.0/28 via ${own.nas4}`,
      `ip -6 route add 2a0f:9::/48 via ${own.nas6}`,
      // Every error is sent, so that every one of them is seen.
      'sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0 net.ipv4.ipfrag_time=1 net.ipv6.ip6frag_time=1',
      'sysctl -qw net.netfilter.nf_conntrack_frag6_timeout=1 || :',
    ],
  };
  await Promise.all(
    Object.entries(scripts).map(([host, lines]) =>
      lab.network.run(host as HostName, 'sh', '-ec', [quick, ...lines].join('\n')),
    ),
  );
}

/**
 * As home routers have it: out is open, in is what was asked for. A forwarded port leads from
 * outside to the NAS. And it reads along what FTP says, to open the ports that are named there.
 */
const firewall = `
  table inet firewall {
    ct helper reader { type "ftp" protocol tcp; l3proto ip; }
    chain reading {
      type filter hook prerouting priority filter; policy accept;
      iifname "lan0" tcp dport 21 ct helper set "reader"
    }
    chain through {
      type filter hook forward priority filter; policy accept;
      iifname "wan0" ct state { established, related } accept
      iifname "wan0" ct status dnat accept
      iifname "wan0" drop
    }
    chain forwarded {
      type nat hook prerouting priority dstnat; policy accept;
      ip daddr ${own.home4} tcp dport 8443 dnat ip to ${own.nas4}:80
    }
    chain hairpin {
      type nat hook postrouting priority srcnat; policy accept;
      ip saddr 192.168.77.0/24 ip daddr ${own.nas4} masquerade
    }
  }`;
