# What is around a machine: sourced by the scripts that tests run in it. The machine's own network is the owner's host.
#   host eth0 192.168.77.10 -- 192.168.77.1 internet (also 192.0.2.10) 198.51.100.1 -- 198.51.100.2 proxy 10.99.0.1 -- 10.99.0.2 consumer
node=${node-/usr/lib/tributary/node}
dist=${dist-/usr/lib/tributary/dist}
service=http://198.51.100.2:8080
# Where the service keeps what it knows.
world=${world-/var/lib/world}

fail() {
  echo "FAILED: $*"
  systemctl status --no-pager --lines=20 tributary-netns.service tributary.service 2>&1 | tail -n 60
  journalctl --no-pager --lines=40 2>/dev/null | tail -n 40
  # What the rules counted says where packets ended.
  ip netns exec tributary nft list counters 2>/dev/null | grep -B1 'packets [1-9]'
  exit 1
}

# until_true SECONDS COMMAND…: waits for a state; `patience` is how many times slower the machine is. One that is real may
# be busy with other work.
until_true() {
  deadline=$(($(date +%s) + $1 * ${patience-5}))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -lt "$deadline" ] || fail "waited in vain for: $*"
    sleep 0.2
  done
}

# how_slow LEAST SECONDS: so many times slower than a real machine an emulated one is that boots within these seconds. One
# that took longer has less of its host's processor, and is as much slower.
how_slow() { awk -v least="$1" -v boot="$2" '{ slow = least * $1 / boot; print int(slow > least ? slow : least) }' /proc/uptime; }

on() { ip netns exec "$@"; }

# A world without the host's wire to it: connect_host brings that.
make_world() {
  for name in internet proxy consumer; do ip netns add $name && ip -netns $name link set lo up; done
  ip link add to-proxy netns internet type veth peer name wan0 netns proxy
  ip link add to-consumer netns proxy type veth peer name eth0 netns consumer
  ip -netns internet address add 192.0.2.10/32 dev lo
  ip -netns internet address add 198.51.100.1/24 dev to-proxy && ip -netns internet link set to-proxy up
  ip -netns proxy address add 198.51.100.2/24 dev wan0 && ip -netns proxy link set wan0 up
  ip -netns proxy route add default via 198.51.100.1
  ip -netns proxy address add 10.99.0.1/24 dev to-consumer && ip -netns proxy link set to-consumer up
  ip -netns consumer address add 10.99.0.2/24 dev eth0 && ip -netns consumer link set eth0 up
  ip -netns consumer route add default via 10.99.0.1
  for name in internet proxy; do on $name sysctl -qw net.ipv4.ip_forward=1; done
  mkdir -p /run/world $world
  on proxy $node $dist/tributary.cjs sandbox --json --listen 198.51.100.2:8080 --data $world \
    --wireguard on --consumers to-consumer >/run/world/service.json 2>/run/world/service.log &
  on internet $node $dist/worker.cjs serve 0.0.0.0 80 >/run/world/web.log 2>&1 &
  until_true 20 grep -q '^{' /run/world/service.json
  until_true 20 grep -q listening /run/world/web.log
}

connect_host() {
  ip link add eth0 type veth peer name to-host netns internet
  ip -netns internet address add 192.168.77.1/24 dev to-host && ip -netns internet link set to-host up
  ip address add 192.168.77.10/24 dev eth0 && ip link set eth0 up
  ip route add default via 192.168.77.1
  # The kernel takes up to a second to say so.
  until_true 10 sh -c 'ip -br -4 address show eth0 | grep -qw UP'
}

auth_code() { head -n 1 /run/world/service.json | sed 's/.*"authCode":"\([^"]*\)".*/\1/'; }

# Another code for one login.
new_code() {
  on proxy $node $dist/tributary.cjs sandbox auth-code --json --data $world | sed 's/.*"authCode":"\([^"]*\)".*/\1/'
}
# at_terminal COMMAND: types a line of standard input at a terminal, once the command asks there for a code.
at_terminal() {
  : >/tmp/shown
  { until_true 30 grep -q code /tmp/shown; tr '\n' '\r'; } |
    script --quiet --flush --return --command "stty cols 80 rows 24; $1" /tmp/shown >/dev/null
}

# The configuration that an owner would write; the world's Internet has addresses from the documentation ranges.
# `source` is where consumers come from, if not through the tunnel.
write_config() {
  mkdir -p /etc/tributary
  cat >/etc/tributary/tributary.yaml <<CONFIG
service: { base_url: "$service", profile: documented, allow_insecure_http: true }
gateway: { allow_destinations: [192.0.2.0/24, 198.51.100.0/24], permit_seconds: 20 }
${source:+source: $source}
CONFIG
}

# Consumers by the network's own protocol: what they send to the Internet leaves by the device, or not at all.
use_provider() {
  on consumer ip route delete default
  on consumer ip route add 198.51.100.0/24 via 10.99.0.1
  on consumer $node $dist/tributary.cjs sandbox consumer --json --data $world --service $service \
    >/run/world/consumer.json 2>/run/world/consumer.log &
  until_true 60 grep -q '^{' /run/world/consumer.json
  on consumer ip route add default dev trib-use0
}

is_inactive() { [ "$(systemctl show --value -p ActiveState "$1")" = inactive ]; }
phase() { tributary status --json | sed -n 's/.*"phase": *"\([a-z-]*\)".*/\1/p'; }
is_phase() { [ "$(phase)" = "$1" ]; }
client_id() { tributary status --json | tr -d '\n' | sed -n 's/.*"client": *{ *"id": *"\([^"]*\)".*/\1/p'; }

# Really opens a connection from the consumer. Where the machine is slower, a packet takes longer on its way.
probe() { on consumer $node $dist/worker.cjs probe "$1" 80 $((1500 * ${patience-1})); }
is_reached() { [ "$(probe "$1")" = reached ]; }
is_refused() { [ "$(probe "$1")" = refused ]; }
# A download through the device, whole.
download() { on consumer $node $dist/worker.cjs download "http://192.0.2.10:80/bytes/$1" 60 | tail -n 1 | grep -q '"isWhole":true'; }

# Everything of the host that the agent could leave a trace in.
snapshot() {
  nft --stateless list ruleset
  iptables-save 2>/dev/null | sed '/^#/d; s/\[[0-9]*:[0-9]*\]//'
  ip -br link | sed 's/@.*//' | cut -d' ' -f1
  ip -br -4 address | sed 's/@[a-z0-9]*//'
  ip rule
  ip route
  ls /run/netns
  sysctl -a 2>/dev/null | grep -E '^net\.ipv[46]\.(conf|ip_forward).*(forward|rp_filter|accept_ra)'
  find /etc/netns /run/tributary /run/tributary-netns /run/tributary-userns 2>/dev/null
}
