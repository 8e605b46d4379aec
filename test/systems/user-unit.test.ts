import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, splitCommands } from '../pages.ts';
import { createMachine, type Machine } from './support/machine.ts';
import { buildProgram, installProgram } from './support/program.ts';

/* The way without root: an ordinary user's unit under the user's own systemd, through pasta. */
const readmeLines = splitCommands(readBlocks('sh', 'docs/install-debian.md')[2] ?? '').map((line) =>
  line.replace('https://service.example', '$service'),
);

describe.each(['bookworm', 'trixie'] as const)('on %s, the unit of an ordinary user', (suite) => {
  let machine: Machine;
  let build: string;

  beforeAll(async () => {
    // Four commands, or these tests prove nothing of them.
    expect(readmeLines).toHaveLength(4);
    build = await buildProgram();
    const packages = ['libpam-systemd', 'dbus-user-session', 'polkitd', 'passt'];
    machine = await createMachine({ suite, packages });
    await installProgram(machine, build);
  });

  afterAll(async () => {
    await machine?.remove();
    await rm(build, { recursive: true, force: true });
  });

  const run = async (script: string) => {
    const { exitCode, text } = await machine.boot(`set -u\n${words}\n${script}`);
    expect(exitCode, text).toBe(0);
    return text;
  };

  it('provides after four commands without root, keeps the host and the home closed, and leaves nothing', async () => {
    await run(`
      useradd --create-home --shell /bin/bash owner
      snapshot >before; list_files >files-before
      owner "${readmeLines[0]}" || fail 'the service is not named'
      fit_to_world
      auth_code | owner "${readmeLines[1]}" || fail 'the login failed'
      owner "${readmeLines[2]}" || fail 'it did not start'
      owner "${readmeLines[3]}" || fail 'it does not outlive the session'
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      download 3000000 || fail 'a download did not come whole'
      is_reached_at_home 192.168.77.10 || fail 'nobody listens on the host'
      is_refused 192.168.77.10 || fail 'the host was reached'
      is_refused 192.168.77.1 || fail 'the home network was reached'
      ps -u owner -o args= | grep -q '^pasta ' || fail 'it does not go through pasta'
      ! ps -e -o user:20=,args= | grep '[t]ributary.cjs run' | grep -v '^owner ' || fail 'something of it is not of the owner'
      until_true 10 is_in_phase providing
      first=$(client_id); pid=$(show MainPID)
      owner 'systemctl --user reload tributary' || fail 'it does not read its configuration anew'
      until_true 10 sh -c 'journalctl --no-pager | grep -q "configuration was read again"'
      is_phase providing || fail 'reading it anew interrupts'
      has MainPID $pid || fail 'reading it anew ends it'
      owner 'systemctl --user restart tributary' || fail 'it does not start anew'
      until_true 40 is_phase providing
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
      owner 'systemctl --user stop tributary' || fail 'it does not stop'
      has Result success || fail 'it did not stop in good order'
      for seconds in 0.05 0.2 0.4 0.6; do
        owner "systemctl --user start --no-block tributary; sleep $seconds; timeout 15 systemctl --user stop tributary" ||
          fail "stopped $seconds s after its start, it does not end"
      done
      is_refused 192.0.2.10 || fail 'it forwards still'
      ! pgrep -u owner -l -f 'tributary|pasta|wireguard' || fail 'something of it runs still'
      snapshot >after
      diff before after || fail 'the host is not as it was'
      list_files >files-after
      diff files-before files-after || fail 'files are left'
    `);
  });

  it('starts at boot, is killed when it hangs, and comes back as the same client', async () => {
    await run(`
      until_true 60 is_phase providing
      first=$(client_id)
      kill -9 $(show MainPID)
      until_true 30 has NRestarts 1
      until_true 40 is_phase providing
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
      mkdir -p ~owner/.config/systemd/user/tributary.service.d
      printf '[Service]\\nWatchdogSec=8s\\nRestartSec=1s\\n' >~owner/.config/systemd/user/tributary.service.d/quick.conf
      owner 'systemctl --user daemon-reload; systemctl --user restart tributary' || fail 'it does not start anew'
      until_true 40 is_phase providing
      alive=$(show WatchdogTimestampMonotonic)
      for sign in 1 2 3; do until_true 20 gives_a_sign; alive=$(show WatchdogTimestampMonotonic); done
      has NRestarts 0 || fail 'it was ended though it lives'
      kill -STOP $(agent)
      until_true 30 has NRestarts 1
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
    `);
  });

  it('asks the name servers that can be reached from its namespace', async () => {
    await run(`
      mkdir -p /run/systemd/resolve
      echo 'nameserver 192.168.77.1' >/run/systemd/resolve/resolv.conf
      echo 'nameserver 127.0.0.53' >/etc/resolv.conf
      owner 'systemctl --user restart tributary' || fail 'it does not start anew'
      [ "$(nsenter --target $(agent) --user --mount cat /etc/resolv.conf)" = 'nameserver 192.168.77.1' ] || fail 'it asks where nobody answers'
    `);
  });
});

/** What the scripts say besides the words of the world: the world, and an owner who is not root. */
const words = `
. ./world.sh
fail() {
  echo "FAILED: $*"
  owner 'systemctl --user status --no-pager --lines=20 tributary; journalctl --user --no-pager --lines=40' 2>&1
  exit 1
}
# With a session of the user's own, as after a login.
owner() { su --login owner -c "$1"; }
tributary() { owner "tributary $*"; }
show() { owner "systemctl --user show --value -p $1 tributary"; }
has() { [ "$(show "$1")" = "$2" ]; }
# Notes may follow the phase.
is_in_phase() { show StatusText | grep -q "^$1\\b"; }
gives_a_sign() { [ "$(show WatchdogTimestampMonotonic)" != "$alive" ]; }
is_reached_at_home() { [ "$(on internet $node $dist/worker.cjs probe "$1" 80)" = reached ]; }
# The world has no TLS, and an Internet of documentation addresses.
fit_to_world() {
  tributary config set service.allow_insecure_http true
  tributary config set gateway.allow_destinations "'[192.0.2.0/24, 198.51.100.0/24]'"
}
list_files() { find /tmp /run/user | grep -e tributary -e wireguard -e /tmp/tmp; }
# Below its first process and pasta.
agent() { pgrep -P $(pgrep -P $(show MainPID)); }
make_world; connect_host
$node $dist/worker.cjs serve 0.0.0.0 80 >/run/world/host.log 2>&1 &
until_true 20 grep -q listening /run/world/host.log
`;
