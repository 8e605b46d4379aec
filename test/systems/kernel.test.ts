import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beSlow, createMachine, type Machine } from './support/machine.ts';
import { makePackage } from './support/packages.ts';
import { buildProgram, copyWorld } from './support/program.ts';

/*
 * The package on a virtual machine with Debian's own kernel, and so with WireGuard in the kernel:
 * everything in one boot.
 */
/** Everything waits for what it is about; this ends a machine that says nothing more. */
const limitMs = 2_700_000;
let packages: string;
let build: string;

beforeAll(async () => {
  packages = await mkdtemp(join(tmpdir(), 'tributary-packages-'));
  build = await buildProgram();
  for (const version of ['1.0.0', '1.0.1'])
    await makePackage({ architecture: 'amd64', version, to: packages });
});

afterAll(async () => {
  await Promise.all(
    [packages, build].map((directory) => rm(directory, { recursive: true, force: true })),
  );
});

describe.skipIf(process.arch !== 'x64').each(['bookworm', 'trixie'] as const)(
  'on the kernel of %s',
  (suite) => {
    let machine: Machine;

    beforeAll(async () => {
      machine = await createMachine({ suite, packages: ['linux-image-cloud-amd64', 'curl'] });
      await copyWorld(machine, build);
      await machine.copyIn(packages, '/srv/packages');
      await beSlow(machine);
    });

    afterAll(() => machine?.remove());

    it(
      'and its own WireGuard the package lives as it does elsewhere',
      async () => {
        const { exitCode, text } = await machine.bootVirtual(
          `
    set -u
    node=/srv/world/node dist=/srv/world/dist
    . /srv/world/world.sh
    patience=$(how_slow 6 40)
    echo "waits are $patience times as long"
    modprobe wireguard || fail 'this kernel has no WireGuard'
    make_world; connect_host; snapshot >before
    install() { apt-get install -y /srv/packages/tributary_$1-1_*.deb >apt.log 2>&1 || fail "it is not installed: $(cat apt.log)"; }
    install 1.0.0
    tributary config set service.allow_insecure_http true
    tributary config set gateway.allow_destinations '[192.0.2.0/24, 198.51.100.0/24]'
    # The emulated machine's own delays are no household's.
    tributary config set provide.household off
    tributary config set service.base_url $service
    until_true 30 is_phase signed-out
    # A code that is this old by now may have run out.
    sign_in() { new_code | tributary login; }
    until_true 10 sign_in
    until_true 40 is_phase providing
    tributary status --json | grep -q '"backend": *"kernel"' || fail "it is not the kernel's: $(tributary status)"
    # Its right is over its own network, and none on the host.
    rights() { grep -cE "^Cap(Prm|Eff|Bnd):.0*1000$" /proc/$(systemctl show --value -p MainPID tributary)/status; }
    is_on_host() { [ "$(readlink /proc/$(systemctl show --value -p MainPID tributary)/ns/user)" = "$(readlink /proc/self/ns/user)" ]; }
    [ "$(rights)" = 3 ] || fail 'it has another right'
    is_on_host && fail 'its right is one on the host'
    until_true 20 is_reached 192.0.2.10
    download 1000000 || fail 'a download did not come whole'
    is_refused 192.168.77.1 || fail 'the home network was reached'
    # This WireGuard joins what a consumer uploads. It is counted as the consumer sends it, one segment at a time.
    ip -netns consumer link set dev eth0 gso_max_segs 1
    count_sent() { on consumer sh -c 'cd /sys/class/net/eth0/statistics; echo $(($(cat tx_bytes) + $(cat rx_bytes) - 14 * ($(cat tx_packets) + $(cat rx_packets))))'; }
    count_used() { tributary status --json | tr -d '\\n' | sed 's/.*"usage": *{[^}]*"bytes": *\\([0-9]*\\).*/\\1/'; }
    sent=$(count_sent) used=$(count_used)
    on internet $node -e 'require("node:net").createServer((from) => from.resume()).listen(9000)' &
    upload() { on consumer $node -e 'const to = require("node:net").connect(9000, "192.0.2.10", () => to.end(Buffer.alloc(20_000_000))); to.resume()'; }
    until_true 20 upload
    is_counted() { echo "$sent $(count_sent) $used $(count_used)" | awk '{ sent = $2 - $1; used = $4 - $3; print "an upload of", sent, "bytes is counted as", used; exit sent < 20000000 || used < 0.998 * sent || used > 1.002 * sent }'; }
    is_counted_soon() { is_counted >counted; }
    until_true 20 is_counted_soon
    cat counted
    tributary config set provide.rate_limit.line '4 Mbit'
    systemctl reload tributary
    until_true 20 sh -c 'ip netns exec tributary tc class show dev tributary-line | grep -q "rate 4Mbit"'
    ip netns exec tributary tc qdisc show dev tributary-line | grep -q fq_codel || fail 'the leaves are plain queues'
    crossed() { echo "$(cut -d ' ' -f 1 /proc/uptime) $(cat /sys/class/net/eth0/statistics/rx_bytes) $(cat /sys/class/net/eth0/statistics/tx_bytes)"; }
    on consumer $node $dist/worker.cjs download http://192.0.2.10:80/bytes/4000000000 86400 >said &
    download=$!
    # Less while the machine has no time, so it is looked at until it is not.
    is_carried() {
      before=$(crossed)
      sleep 20
      carried=$(echo "$before $(crossed)" | awk '{ down = $5 - $2; up = $6 - $3; print int((down > up ? down : up) * 8 / 1000 / ($4 - $1)) }')
      [ "$carried" -gt 3760 ]
    }
    until_true 60 is_carried
    [ "$carried" -lt 4240 ] || fail "the line carried $carried kbit/s: $(tributary status; ip netns exec tributary tc -s class show dev tributary-line)"
    echo "under a limit of 4000 kbit/s the line carried $carried kbit/s"
    kill $download
    ip -netns consumer address add 10.99.0.3/24 dev eth0
    load() { on consumer curl -s -o /dev/null --max-time 30 --interface $1 -w '%{size_download}\\n' http://192.0.2.10/bytes/20000000; }
    share() {
      others=
      for number in $(seq 16); do load 10.99.0.2 & others="$others $!"; done >sixteen
      one=$(load 10.99.0.3)
      wait $others
      part=$(awk -v one="$one" '{ sum += $1 } END { print int(100 * one / (one + sum)) }' sixteen)
      [ "$(wc -l <sixteen)" = 16 ] && [ "$part" -ge 45 ] && [ "$part" -le 60 ]
    }
    until_true 60 share
    echo "one connection had $part % beside another consumer's sixteen"
    is_refused 192.168.77.1 || fail 'the home network was reached under a limit'
    client=$(client_id)
    install 1.0.1
    until_true 40 is_phase providing
    [ "$(client_id)" = "$client" ] || fail 'it is another client'
    # Where the owner has no user namespaces made, it works as before there were any, and that is said.
    allowed=$(sysctl -n user.max_user_namespaces)
    for most in 0 $allowed; do
      systemctl stop tributary; until_true 20 is_inactive tributary-netns
      sysctl -qw user.max_user_namespaces=$most
      systemctl start tributary || fail "it does not start with $most user namespaces"
      until_true 40 is_phase providing
      tributary status --json | grep -q '"backend": *"kernel"' || fail "with $most user namespaces it is not the kernel's"
      until_true 20 is_reached 192.0.2.10
      [ "$(rights)" = 3 ] || fail "with $most user namespaces it has another right"
      tributary doctor >doctor
      case $most in
        0) is_on_host && grep -q 'user namespaces are switched off here' doctor || fail "the doctor does not say it: $(cat doctor)" ;;
        *) ! is_on_host && grep -q 'Rights on host.*none:' doctor || fail "with $most it is as with none: $(cat doctor)" ;;
      esac
    done
    apt-get purge -y tributary >apt.log 2>&1 || fail "it is not purged: $(cat apt.log)"
    [ ! -e /var/lib/private/tributary ] || fail 'its state is left'
    snapshot >after
    diff before after || fail 'the host is not as it was'
  `,
          limitMs,
        );
        process.stdout.write(
          (text.match(/^(waits|an upload|under a limit|one connection).*$/gm) ?? [])
            .join('\n')
            .concat('\n'),
        );
        expect(exitCode, text).toBe(0);
      },
      limitMs + 120_000,
    );
  },
);
