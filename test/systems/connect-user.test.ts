import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './support/machine.ts';
import { buildProgram, installProgram } from './support/program.ts';

/* `source: connect` without root: an ordinary user's unit under his own systemd, by pasta. */
describe.each(['bookworm', 'trixie'] as const)('on %s, the engine of an ordinary user', (suite) => {
  let machine: Machine;
  let build: string;

  beforeAll(async () => {
    build = await buildProgram();
    const packages = ['libpam-systemd', 'dbus-user-session', 'polkitd', 'passt'];
    machine = await createMachine({ suite, packages });
    await installProgram(machine, build);
  });

  afterAll(async () => {
    await machine?.remove();
    await rm(build, { recursive: true, force: true });
  });

  it('provides without any capability, keeps host and home closed, comes back after a kill, and ends with the unit', async () => {
    const { exitCode, text } = await machine.boot(`set -u\n${words}
      useradd --create-home --shell /bin/bash owner
      stay_signed_in
      tributary config set service.base_url $service --config '~/.config/tributary/tributary.yaml'
      tributary config set service.allow_insecure_http true
      tributary config set gateway.allow_destinations "'[192.0.2.0/24, 198.51.100.0/24]'"
      tributary config set source connect
      auth_code | tributary login || fail 'the login failed'
      owner 'systemctl --user enable --now tributary' || fail 'it did not start'
      until_true 60 is_phase providing
      use_provider
      until_true 30 is_reached 192.0.2.10
      download 3000000 || fail 'a download did not come whole'
      is_refused 192.168.77.10 || fail 'the host was reached'
      is_refused 192.168.77.1 || fail 'the home network was reached'
      engine=$(engines)
      for set in CapInh CapPrm CapEff CapAmb; do
        grep -q "^$set:[[:space:]]*0*$" /proc/$engine/status || fail "it has a capability: $set"
      done
      grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/$engine/status || fail 'it can get new privileges'
      [ "$(stat -c %U /proc/$engine)" = owner ] || fail "it belongs to $(stat -c %U /proc/$engine)"
      journalctl --no-pager | grep 'does not restrict' && fail 'it could reach the files or the sockets of the agent'
      grep -q '^Seccomp:[[:space:]]*2$' /proc/$engine/status || fail 'it may make every system call'
      kill -KILL $(agent)
      until_true 20 sh -c "! [ -e /proc/$engine ]"
      until_true 60 is_phase providing
      [ "$(engines | wc -l)" = 1 ] || fail "not one engine: $(engines)"
      until_true 60 is_reached 192.0.2.10
      owner 'systemctl --user stop tributary' || fail 'it does not stop'
      is_refused 192.0.2.10 || fail 'it forwards still'
      ! pgrep -u owner -l -f 'tributary|pasta|engine' || fail 'something of it runs still'
    `);
    expect(exitCode, text).toBe(0);
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
# The owner stays signed in: a few seconds after the last session systemd ends all that is the user's.
stay_signed_in() { owner 'exec sleep infinity' & }
tributary() { owner "tributary $*"; }
# What becomes the engine is another program before.
engines() { pgrep -f '^/usr/lib/tributary/node .*/engine[.]cjs'; }
# Below its first process and pasta.
agent() { pgrep -P $(pgrep -P $(owner 'systemctl --user show --value -p MainPID tributary')); }
make_world; connect_host
`;
