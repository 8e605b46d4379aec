import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDockerHost, loadImages } from './support/docker-host.ts';
import type { Machine } from './support/machine.ts';
import { buildProgram, copyWorld, installProgram } from './support/program.ts';

/*
 * What each way to run the agent costs, in turn on one machine and as one and the same client. Only
 * the ratios mean something elsewhere, and no figure is held against a limit: what is claimed is
 * that each way provides.
 */
const ways = ['bare', 'service', 'user unit', 'container'] as const;
type Way = (typeof ways)[number];

const rounds = 3;
const downloadSeconds = 6;

let machine: Machine;
let build: string;

beforeAll(async () => {
  build = await buildProgram();
  machine = await createDockerHost(['libpam-systemd', 'dbus-user-session', 'passt']);
  await installProgram(machine, build);
  // A program of the world's own: the agent shares no memory with it.
  await copyWorld(machine, build);
});

afterAll(async () => {
  await machine?.remove();
  await rm(build, { recursive: true, force: true });
});

it('each way provides, at a cost of its own', async () => {
  const { exitCode, text } = await machine.boot(script, 1_200_000);
  expect(exitCode, text).toBe(0);
  const samples = [...text.matchAll(/^sample (.*): (.*)$/gm)].map(([, way = '', figures = '']) => ({
    way,
    figures: figures.split(' ').map(Number),
  }));
  const medians = ways.map((way) =>
    computeMedians(samples.flatMap((one) => (one.way === way ? [one.figures] : []))),
  );
  process.stderr.write(renderCosts(medians));
  const kept = [...text.matchAll(/^(memory|CPU) .*$/gm)].map(([line]) => `  ${line}\n`);
  process.stderr.write(kept.join(''));
  expect(medians.flat().every((figure) => figure > 0)).toBe(true);
});

/** Of each figure; a row is a round. */
function computeMedians(rows: readonly (readonly number[])[]): readonly number[] {
  expect(rows).toHaveLength(rounds);
  return (rows[0] ?? []).map((_, column) => {
    const values = rows.map((row) => row[column] ?? Number.NaN).sort((one, other) => one - other);
    return values[Math.floor(values.length / 2)] ?? Number.NaN;
  });
}

const columns = [
  ['start to providing', 's', 3],
  ['memory', 'KiB', 0],
  ['throughput', 'Mbit/s', 0],
] as const;

/** Each way's figures, and their ratios to the figures of the bare one. */
function renderCosts(medians: readonly (readonly number[])[]): string {
  const [first = []] = medians;
  const head = columns.map(([name]) => `${name.padStart(20)}${'ratio'.padStart(7)}`).join('');
  const rows = ways.map((way: Way, index) => {
    const cells = columns.map(([, unit, digits], column) => {
      const figure = medians[index]?.[column] ?? Number.NaN;
      const ratio = figure / (first[column] ?? Number.NaN);
      return `${figure.toFixed(digits)} ${unit}`.padStart(20) + ratio.toFixed(2).padStart(7);
    });
    return `${way.padEnd(12)}${cells.join('')}\n`;
  });
  return `\n${''.padEnd(12)}${head}\n${rows.join('')}`;
}

const script = `
set -u
node=/srv/world/node dist=/srv/world/dist
. /srv/world/world.sh
fail() { echo "FAILED: $*"; journalctl --no-pager --lines=40; exit 1; }
${loadImages}
docker build --tag tributary /srv/clone >build.log 2>&1 || fail "the image is not built: $(tail build.log)"
make_world; connect_host; write_config

# Bare: a device with nothing else on it, whose own network the agent works in.
ip netns add bare
ip link add eth0 netns bare type veth peer name to-bare netns internet
ip -netns internet address add 192.168.78.1/24 dev to-bare && ip -netns internet link set to-bare up
ip -netns bare link set lo up
ip -netns bare address add 192.168.78.10/24 dev eth0 && ip -netns bare link set eth0 up
ip -netns bare route add default via 192.168.78.1
cat >/etc/systemd/system/bare.service <<UNIT
[Service]
Type=notify
NotifyAccess=all
NetworkNamespacePath=/run/netns/bare
Environment=TRIBUTARY_STATE_DIR=/srv/bare TRIBUTARY_STATUS_SOCKET=/run/bare.sock
ExecStart=/usr/bin/tributary run --own-namespace
KillMode=mixed
UNIT

# The owner of the user unit, whose systemd is there already.
useradd --create-home --shell /bin/bash owner; home=$(echo ~owner)
install -d -o owner ~owner/.config ~owner/.config/tributary
install -o owner /etc/tributary/tributary.yaml ~owner/.config/tributary/tributary.yaml
user=$(id -u owner)
loginctl enable-linger owner
until_true 20 [ -S /run/user/$user/systemd/private ]
as_owner() {
  setpriv --reuid owner --regid owner --init-groups env HOME=$home XDG_RUNTIME_DIR=/run/user/$user "$@"
}

docker create --name tributary --cap-drop ALL --cap-add NET_ADMIN --security-opt no-new-privileges --read-only \\
  --device /dev/net/tun --tmpfs /run:mode=755,size=16m --volume tributary:/var/lib/tributary \\
  --volume /etc/tributary/tributary.yaml:/etc/tributary/tributary.yaml:ro \\
  --sysctl net.ipv4.ip_forward=1 --sysctl net.ipv4.conf.default.rp_filter=2 \\
  --publish 127.0.0.1:9469:9469 --env TRIBUTARY_STATUS_LISTEN=0.0.0.0:9469 tributary || fail 'there is no container'

start() {
  case $1 in
  bare) systemctl start bare ;;
  service) systemctl start tributary ;;
  'user unit') as_owner systemctl --user start tributary ;;
  container) docker start tributary ;;
  esac
}
stop() {
  case $1 in
  bare) systemctl stop bare ;;
  service) systemctl stop tributary && until_true 10 is_inactive tributary-netns ;;
  'user unit') as_owner systemctl --user stop tributary ;;
  container) docker stop --time 30 tributary ;;
  esac
}
socket() {
  case $1 in
  bare) echo /run/bare.sock ;;
  service) echo /run/tributary/tributary.sock ;;
  'user unit') echo /run/user/$user/tributary/tributary.sock ;;
  container)
    root=/proc/$(docker inspect --format '{{.State.Pid}}' tributary)/root
    echo $root/run/tributary/tributary.sock
    ;;
  esac
}
# Its processes; of the container also what Docker starts for it, and not Docker's engine.
processes() {
  case $1 in
  bare) cat /sys/fs/cgroup$(systemctl show --value -p ControlGroup bare)/cgroup.procs ;;
  # With what hears the host's changes for it.
  service) cat /sys/fs/cgroup/system.slice/tributary.service/cgroup.procs /sys/fs/cgroup/system.slice/tributary-netns-watch.service/cgroup.procs ;;
  'user unit') cat /sys/fs/cgroup$(as_owner systemctl --user show --value -p ControlGroup tributary)/cgroup.procs ;;
  container) docker top tributary -eo pid | tail -n +2; pgrep 'containerd-shim|docker-proxy' ;;
  esac
}
is_providing() { curl -s --unix-socket "$(socket "$1")" http://localhost/status.json | grep -q '"phase": *"providing"'; }
# KiB, each shared page in parts: of every program, and of all.
weigh() {
  for process in $(processes "$1"); do
    echo $(cat /proc/$process/comm) $(awk '/^Pss:/ { print $2 }' /proc/$process/smaps_rollup)
  done
}
now_ms() { date +%s%3N; }
# The parts of a core that the service takes at rest, in %: the agent, what hears the host's changes, and the look once a minute.
rest() {
  usage() { awk '$1 == "usage_usec" { print $2 }' /sys/fs/cgroup/system.slice/$1.service/cpu.stat; }
  sleep 60
  agent=$(usage tributary) watch=$(usage tributary-netns-watch)
  sleep 120
  agent=$(($(usage tributary) - agent)) watch=$(($(usage tributary-netns-watch) - watch))
  until_true 20 is_inactive tributary-netns-check
  systemctl start tributary-netns-check
  look=$(systemctl show --value -p CPUUsageNSec tributary-netns-check)
  awk -v agent=$agent -v watch=$watch -v look=$look \\
    'BEGIN { printf "%.3f agent, %.3f watch, %.3f looks", agent / 1.2e6, watch / 1.2e6, look / 6e8 }'
}

# One client, signed in once, and moved from way to way.
systemctl daemon-reload
auth_code | TRIBUTARY_STATE_DIR=/srv/bare tributary login || fail 'the login failed'
systemctl start bare || fail 'it does not start'
until_true 30 is_providing bare
systemctl stop bare
give_state() {
  mkdir -p "$1" && cp /srv/bare/identity.json /srv/bare/registration.json /srv/bare/network-jwt.json "$1" && chown -R "$2" "$1" && chmod 700 "$1"
}
install -d -m 700 /var/lib/private
give_state /var/lib/private/tributary root
give_state ~owner/.local/state/tributary owner; chown -R owner ~owner/.local
give_state /var/lib/docker/volumes/tributary/_data root

measure() {
  begun=$(now_ms)
  start "$1" >/dev/null || fail "$1 does not start"
  deadline=$((begun + 60000))
  until is_providing "$1"; do
    [ "$(now_ms)" -lt $deadline ] || fail "$1 does not provide"
    sleep 0.01
  done
  started=$(($(now_ms) - begun))
  until_true 30 download 100000
  # At rest: the start's garbage is collected ten seconds after it.
  sleep 15
  weigh "$1" >weighed
  if [ "$round $1" = '1 service' ]; then
    rested=$(rest) || { echo "$rested"; exit 1; }
    echo "CPU of $1 at rest (%): $rested"
  fi
  # More than comes in that time.
  on consumer $node $dist/worker.cjs download http://192.0.2.10:80/bytes/99999999999 ${downloadSeconds} | tail -n 1 >downloaded
  bytes=$(sed 's/.*"bytes":\\([0-9]*\\).*/\\1/' downloaded)
  echo "sample $1: $(awk "BEGIN { print $started / 1000 }") $(awk '{ sum += $2 } END { print sum }' weighed) $(awk "BEGIN { print $bytes * 8 / ${downloadSeconds} / 1e6 }")"
  stop "$1" >/dev/null || fail "$1 does not stop"
}
for round in $(seq ${rounds}); do
  for way in ${ways.map((way) => `'${way}'`).join(' ')}; do
    measure "$way"
    [ $round != 1 ] || echo "memory of $way (KiB): $(tr '\\n' ',' <weighed)"
  done
done
echo "memory of Docker's engine (KiB): $(for process in $(pgrep 'dockerd|containerd$'); do echo $(cat /proc/$process/comm) $(awk '/^Pss:/ { print $2 }' /proc/$process/smaps_rollup); done | tr '\\n' ',')"
`;
