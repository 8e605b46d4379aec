import { deviceUplink } from '../../src/lab/network.ts';

export interface Baseline {
  readonly tunnel: string;
  readonly wireGuardFile: string;
  readonly address: string;
  readonly allowed: string;
}

/** A shell script that does by hand what the agent does: the yardstick for its start and its throughput. */
export function renderBaseline({ tunnel, wireGuardFile, address, allowed }: Baseline): string {
  return `set -e
if [ "$1" = down ]; then
  ip rule delete iif ${deviceUplink} lookup 51820
  ip link delete ${tunnel}
  nft delete table inet baseline
  exit
fi
nft -f - <<'END'
table inet baseline {
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${tunnel}" oifname "${deviceUplink}" ip daddr ${allowed} accept
    iifname "${deviceUplink}" oifname "${tunnel}" ct state established,related accept
  }
  chain translate {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${deviceUplink}" masquerade
  }
}
END
ip link add ${tunnel} type wireguard 2>/dev/null || wireguard-go ${tunnel} >/dev/null 2>&1
wg setconf ${tunnel} ${wireGuardFile}
ip address add ${address} dev ${tunnel} noprefixroute
ip link set ${tunnel} mtu 1420 up
ip route add default dev ${tunnel} table 51820
ip rule add iif ${deviceUplink} lookup 51820
echo 2 >/proc/sys/net/ipv4/conf/${tunnel}/rp_filter
echo 1 >/proc/sys/net/ipv4/ip_forward
while [ -z "$(wg show ${tunnel} latest-handshakes | grep -v '	0$')" ]; do sleep 0.02; done
echo providing
`;
}
