import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../../src/system/exec.ts';
import { version } from '../../src/version.ts';
import { readBlocks, splitCommands } from '../pages.ts';
import { beSlow, createMachine, type Machine } from './support/machine.ts';
import { makePackage } from './support/packages.ts';
import { buildProgram, copyWorld } from './support/program.ts';
import { findHindrance } from './support/tree.ts';

/*
 * The package for arm64 on an emulated board: a Pi 3's processor and memory, Debian for arm64 with
 * its own kernel, and a clock that begins in 1970. The world of hosts around it runs on the board
 * too, so less is left for the agent than on a real one.
 */
let directory: string;
let build: string;
let machine: Machine;

/**
 * The lines of README's way onto a Pi, for the service of this world, as the board's owner types
 * them.
 */
const answers = '--service http://198.51.100.2:8080 --mode public --code-file code.txt';
const readmeLines = splitCommands(readBlocks('sh', 'docs/install-raspberry-pi.md')[0] ?? '')
  .map((line) => line.replace(/tributary setup$/, `tributary setup ${answers}`))
  .map((line) => `runuser -l owner -c "cd /srv/packages && ${line}"`);

/**
 * Left out, aloud, where the board's system cannot be made; where nothing may be left out, it
 * fails.
 */
const hindrance = await findHindrance('arm64');
if (hindrance !== undefined) {
  if (process.env.CI === 'true') throw new Error(hindrance);
  process.stderr.write(`\n  NOTE: the test on a board of arm64 is skipped: ${hindrance}\n\n`);
}

describe.skipIf(hindrance !== undefined)(
  'on a board of arm64 that has lost the time, the package',
  () => {
    beforeAll(async () => {
      expect(readmeLines).toHaveLength(2);
      directory = await mkdtemp(join(tmpdir(), 'tributary-arm64-'));
      build = await buildProgram();
      const path = await makePackage({ architecture: 'arm64', version, to: directory });
      const unpacked = join(directory, 'unpacked');
      await exec({
        program: 'dpkg-deb',
        args: ['-x', path, unpacked],
        doing: 'unpacking a package',
        timeoutMs: 120_000,
      });
      const packages = ['linux-image-cloud-arm64', 'sudo'];
      machine = await createMachine({ suite: 'bookworm', architecture: 'arm64', packages });
      // The world has a Node and a build of its own: it is there before the package.
      await copyWorld(machine, build, join(unpacked, 'usr/lib/tributary/node'));
      await machine.copyIn(path, join('/srv/packages', `tributary_${version}-1_arm64.deb`));
      await beSlow(machine);
    });

    afterAll(async () => {
      await machine?.remove();
      await Promise.all(
        [directory, build].map((place) => rm(place, { recursive: true, force: true })),
      );
    });

    it('provides after two commands, and goes on when the time comes', async () => {
      const bootedMs = Date.now();
      await machine.writeFile('/srv/world/right-clock.cjs', renderRightClock(bootedMs));
      await machine.writeFile('/srv/world/bin/wg', renderRightWireGuard(bootedMs), 0o755);
      const { exitCode, text } = await machine.bootVirtual(
        `
      set -u
      booted_seconds=${Math.floor(bootedMs / 1000)}
      ${words}
      [ "$(uname -m)" = aarch64 ] || fail 'this is another architecture'
      lose_time
      note booted
      NODE_OPTIONS='--require /srv/world/right-clock.cjs' PATH=/srv/world/bin:$PATH make_world
      connect_host
      echo "127.0.1.1 $(hostname)" >>/etc/hosts
      useradd --create-home owner
      echo 'owner ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/owner

      # One.
      ${readmeLines[0]} </dev/null >apt.log 2>&1 || fail "it is not installed: $(cat apt.log)"
      note installed
      tributary config set service.allow_insecure_http true
      tributary config set gateway.allow_destinations '[192.0.2.0/24, 198.51.100.0/24]'
      # The world's router does not tell its public address, which would be a warning.
      tributary config set gateway.public_address.fixed 203.0.113.7
      # Two.
      auth_code >/srv/packages/code.txt
      ${readmeLines[1]} || fail 'it is not set up'
      until_true 40 is_phase providing
      note providing
      until_true 10 has_backend kernel
      check_forwarding
      tributary doctor >doctor.log
      grep -q '^FAIL  Clock' doctor.log || fail "the doctor does not see that the clock is wrong: $(cat doctor.log)"
      [ "$(grep -c '^FAIL' doctor.log)" = 1 ] || fail "the doctor finds more than the clock: $(cat doctor.log)"
      until_true 10 is_counted_since null
      is_lost || fail 'somebody has set the clock'

      # A clock that is set forward by decades stops nothing: no phase but providing, the same process. What was used
      # before still counts, and the ledger begins today.
      pid=$(systemctl show --value -p MainPID tributary)
      phases >before
      set_time
      note 'the clock is set'
      until_true 20 has_contact_in 20
      until_true 10 has_used 1000000
      check_forwarding
      phases | diff before - || fail 'it did not go on providing'
      [ "$(systemctl show --value -p MainPID tributary)" = "$pid" ] || fail 'it was started anew'
      until_true 10 is_counted_since "\\"$(date -u +%F)"
      awk '/VmRSS/ { print "agent", $2, "KiB" }' /proc/$pid/status
      awk '/MemAvailable/ { print "left", $2, "KiB" }' /proc/meminfo
      note 'went on'

      # After a boot without the time WireGuard's other end refuses the tunnel: it has seen later handshakes. Time mends it.
      lose_time
      systemctl restart tributary
      until_true 20 has_asked_in_vain
      is_refused 192.0.2.10 || fail 'the consumer gets through a tunnel without a handshake'
      set_time
      until_true 60 is_phase providing
      check_forwarding
      note 'provides again'
    `,
        2_700_000,
      );
      expect(exitCode, text).toBe(0);
      expect(Number(/^agent (\d+) KiB$/m.exec(text)?.[1]), text).toBeLessThan(150_000);
    }, 3_000_000);
  },
);

/**
 * The service's clock, which goes right whatever the board believes: for its programs in Node, and
 * for its WireGuard.
 */
const renderRightClock = (bootedMs: number) => `
const { ServerResponse } = require('node:http');
Date.now = () => ${bootedMs} + Number(process.hrtime.bigint() / 1000000n);
const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (...head) {
  this.setHeader('date', new Date(Date.now()).toUTCString());
  return writeHead.apply(this, head);
};
`;
const renderRightWireGuard = (bootedMs: number) => `#!/bin/sh
[ "$3" = dump ] || exec /usr/bin/wg "$@"
/usr/bin/wg "$@" | awk -F '\\t' -v OFS='\\t' 'NF > 4 && $5 > 0 && $5 < 1000000000 { $5 += ${Math.floor(bootedMs / 1000)} } { print }'
`;

const words = String.raw`
node=/srv/world/node dist=/srv/world/dist
. /srv/world/world.sh
patience=$(how_slow 12 120)
right_seconds() { echo $((booted_seconds + $(cut -d. -f1 /proc/uptime))); }
note() { echo "after $(cut -d' ' -f1 /proc/uptime) s, at $(date -u +%F): $*"; }
# As the board has it; systemd has made it the day of its own release. A minute later, because the kernel takes no time
# before its own start, which the board's clock may be off by.
lose_time() { date -s "@$(($(cat /sys/class/rtc/rtc0/since_epoch) + 60))" >/dev/null || fail 'the time is not lost'; }
# As it comes from the network.
set_time() { date -s "@$(right_seconds)" >/dev/null || fail 'the time is not set'; }
is_lost() { [ "$(date +%Y)" = 1970 ]; }
phases() { journalctl --unit=tributary --output=cat | grep '^phase '; }
has_contact_in() { tributary status --json | grep -q "\"lastContactAt\": *\"$1"; }
# WireGuard has sent several first messages of 148 bytes, and none was answered.
has_asked_in_vain() {
  tributary status --json >status.json
  grep -q '"code": *"no-handshake"' status.json && grep -q '"lastHandshakeAt": *null' status.json &&
    [ "$(tr -d '\n' <status.json | sed 's/.*"txBytes": *\([0-9]*\).*/\1/')" -gt 500 ]
}
has_backend() { tributary status --json | grep -q "\"backend\": *\"$1\""; }
is_counted_since() { tributary stats --local --json | grep -q "\"countedSince\": *$1"; }
# Of the period, in bytes.
has_used() { [ "$(tributary status --json | tr -d '\n' | sed 's/.*"usage": *{[^}]*"bytes": *\([0-9]*\).*/\1/')" -gt "$1" ]; }
read_refused() { tributary status --json | tr -d '\n' | sed -n 's/.*"refusedPackets": *{\([^}]*\)}.*/\1/p' | grep .; }
know_refused() { refused=$(read_refused); }
are_more_refused() { more=$(read_refused) && [ "$more" != "$1" ]; }
# Packets of the consumer pass, and reach the Internet alone.
check_forwarding() {
  until_true 20 is_reached 192.0.2.10
  download 1000000 || fail 'a download did not come whole'
  [ "$($node $dist/worker.cjs probe 192.168.77.1 80)" = reached ] || fail 'nobody of the home network is there'
  until_true 10 know_refused
  is_refused 192.168.77.1 || fail 'the home network was reached'
  until_true 10 are_more_refused "$refused"
}
`;
