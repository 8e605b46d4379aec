import { deviceUplink, labInternet } from '../lab/network.ts';

export interface Baseline {
  readonly tunnel: string;
  readonly baseUrl: string;
  /** The folder in which the script keeps what the service told it. */
  readonly stateDirectory: string;
}

/**
 * A shell script that does by hand what the agent does, as a careful person would write it. It is
 * the yardstick for start and throughput. The fence is up before anything else, keys are on no
 * command line, and what the service answered is kept, so that a second start takes up the former
 * client. It is run as `sh FILE up` with AUTH_CODE, and `sh FILE down`.
 */
export function renderBaseline({ tunnel, baseUrl, stateDirectory }: Baseline): string {
  return `set -eu
umask 077
cd ${stateDirectory}
exec 9>lock
flock --nonblock 9
down() {
  ip rule delete iif ${deviceUplink} lookup 51820 || :
  ip rule delete iif ${tunnel} lookup 51821 || :
  ip route flush table 51821 || :
  ip link delete ${tunnel} || :
  nft delete table inet baseline
}
if [ "$1" = down ]; then
  down
  exit
fi
trap 'down; exit 1' INT TERM HUP

nft -f - <<'END'
add table inet baseline
delete table inet baseline
table inet baseline {
  set private {
    type ipv4_addr
    flags interval
    elements = { 0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, 224.0.0.0/3 }
  }
  chain input {
    type filter hook input priority filter; policy accept;
    iifname "${tunnel}" drop
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "${tunnel}" ip daddr @private drop
    iifname "${tunnel}" oifname "${deviceUplink}" ip daddr ${labInternet} accept
    iifname "${deviceUplink}" oifname "${tunnel}" ct state established,related accept
  }
  chain clamp {
    type filter hook forward priority mangle; policy accept;
    iifname "${tunnel}" tcp flags syn tcp option maxseg size set rt mtu
    oifname "${tunnel}" tcp flags syn tcp option maxseg size set rt mtu
  }
  chain translate {
    type nat hook postrouting priority srcnat; policy accept;
    iifname "${tunnel}" oifname "${deviceUplink}" masquerade
  }
}
END

ask() {
  curl --fail --silent --show-error --noproxy '*' --max-time 15 --header 'Content-Type: application/json' "$@"
}
keep() {
  cat >"$1.new"
  sync "$1.new"
  mv "$1.new" "$1"
}

if ! [ -s authorization ]; then
  ask --data @- ${baseUrl}/auth/code-login <<END | jq -er '"Authorization: Bearer " + .by_jwt' | keep authorization
{"auth_code": "$AUTH_CODE"}
END
  [ -s authorization ]
fi

body='{"description": "shell script", "proxy_config": {"enable_wg": true}}'
if [ -s client ]; then
  body=$(jq -c --rawfile client client '.client_id = $client' <<END
$body
END
)
fi
ask --header @authorization --data "$body" ${baseUrl}/network/auth-client |
  jq -er '(.by_client_jwt | split(".")[1] | @base64d | fromjson.client_id), (.proxy_config_result.wg_config | .client_ipv4, .config)' |
  keep registration
{ read -r client && read -r address && sed '/^Address/d; /^DNS/d' >wireguard.conf; } <registration
printf %s "$client" | keep client

ip link add ${tunnel} type wireguard 2>/dev/null || wireguard-go ${tunnel} >/dev/null 2>&1 9>&-
wg setconf ${tunnel} wireguard.conf
ip address add "$address" dev ${tunnel} noprefixroute
ip link set ${tunnel} mtu 1420 up
ip route add default dev ${tunnel} table 51820
ip rule add iif ${deviceUplink} lookup 51820
ip route add default via "$(ip route show default | sed 's/.*via \\([^ ]*\\).*/\\1/')" dev ${deviceUplink} table 51821
ip rule add iif ${tunnel} lookup 51821
echo 2 >/proc/sys/net/ipv4/conf/${tunnel}/rp_filter
echo 1 >/proc/sys/net/ipv4/ip_forward

ask --header @authorization --data "{\\"client_id\\": \\"$client\\", \\"provide_mode\\": 4}" ${baseUrl}/device/set-provide |
  jq -e '.error == null' >/dev/null

tries=0
until wg show ${tunnel} latest-handshakes | grep -qv '	0$'; do
  tries=$((tries + 1))
  [ "$tries" -lt 500 ]
  sleep 0.02
done
echo providing
`;
}
