import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './support/machine.ts';
import { buildProgram, installProgram } from './support/program.ts';

/*
 * `source: connect` under the unit as it is handed out: the engine gets as little as the pages say,
 * and it works with that.
 */
describe.each(['bookworm', 'trixie'] as const)('on %s, the engine of source: connect', (suite) => {
  let machine: Machine;
  let build: string;

  beforeAll(async () => {
    build = await buildProgram();
    machine = await createMachine({ suite });
    await installProgram(machine, build);
  });

  afterAll(async () => {
    await machine?.remove();
    await rm(build, { recursive: true, force: true });
  });

  const run = async (script: string) => {
    const { exitCode, text } = await machine.boot(
      `set -u\nsource=connect\n. ./world.sh\n${words}\nmake_world\nwrite_config\nconnect_host\n${script}`,
    );
    expect(exitCode, text).toBe(0);
    return text;
  };

  it('provides to consumers within the unit, and may do nothing else', async () => {
    await run(`
      systemctl enable --now tributary || fail 'it did not start'
      until_true 20 is_phase signed-out
      TRIBUTARY_AUTH_CODE=$(auth_code) tributary login || fail 'the login failed'
      until_true 60 is_phase providing
      [ "$(source_has name)" = connect ] || fail 'its source is another one'
      [ "$(source_has aliveSince)" != null ] || fail 'it is not connected'
      [ "$(source_has problem)" = null ] || fail 'it has a problem'
      is_one_engine || fail "not one engine: $(engines)"
      agent=$(main_pid) engine=$(engines)
      for set in CapInh CapPrm CapEff CapAmb; do
        [ "$(kernel_says $engine $set)" = 0000000000000000 ] || fail "it has a capability: $set"
      done
      [ "$(kernel_says $engine NoNewPrivs)" = 1 ] || fail 'it can get new privileges'
      journalctl --boot --unit tributary | grep 'does not restrict' && fail 'it could reach the files or the sockets of the agent'
      tr '\\0' '\\n' </proc/$engine/cmdline | grep -qx -e --permission || fail 'Node lets it to every file'
      [ "$(kernel_says $engine Seccomp)" = 2 ] || fail 'it may make every system call'
      [ "$(kernel_says $engine Seccomp_filters)" = $(($(kernel_says $agent Seccomp_filters) + 1)) ] ||
        fail "the unit's filters and its own do not hold for it"
      user=$(kernel_says $engine Uid | cut -f1)
      [ "$user" != 0 ] || fail 'it is root'
      [ "$(kernel_says $engine Uid)" = "$(kernel_says $agent Uid)" ] || fail 'it is of another user than the page says'
      device=$(source_has interface)
      ip -netns tributary -d link show $device | grep -Eqw "user ($user|tributary)" || fail 'its device belongs to another user'
      grep -q "^iff:[[:space:]]*$device$" /proc/$engine/fdinfo/* || fail 'it does not hold its device'
      # A refusal counts only where root outside of the unit is let through.
      mknod /dev/other c 1 11 || fail 'no device to try'
      : >/dev/other || fail 'the device to try does not work'
      as_in_unit 'exec 3<>/dev/net/tun' || fail 'the unit keeps it from the device that makes devices'
      as_in_unit ': >/dev/other' && fail 'the unit lets it to every device'
      use_provider
      until_true 30 is_reached 192.0.2.10
      download 3000000 || fail 'a download did not come whole'
      is_refused 192.168.77.1 || fail 'the home network was reached'
      is_refused 192.168.77.10 || fail 'the host was reached'
      [ "$(engines)" = "$engine" ] || fail 'it did not hold out'
    `);
  });

  it('goes with the agent, at a stop and at a kill, and there is one client and one engine after each start', async () => {
    await run(`
      systemctl restart tributary || fail 'it does not start anew'
      until_true 60 is_phase providing
      use_provider
      until_true 30 is_reached 192.0.2.10
      first=$(client_id)
      systemctl stop tributary || fail 'it does not stop'
      [ -z "$(engines)" ] || fail 'an engine outlives the stop'
      is_refused 192.0.2.10 || fail 'it forwards still'
      systemctl start tributary || fail 'it does not start'
      until_true 60 is_phase providing
      is_one_engine || fail "not one engine: $(engines)"
      until_true 60 is_reached 192.0.2.10
      engine=$(engines)
      mkdir -p /run/systemd/system/tributary.service.d
      printf '[Service]\\nRestart=no\\nKillMode=process\\n' >/run/systemd/system/tributary.service.d/left.conf
      systemctl daemon-reload
      # Neither by itself, because it hangs, nor by systemd, which now leaves what an agent started.
      kill -STOP $engine
      kill -KILL $(main_pid)
      until_true 10 sh -c "! [ -e /proc/$engine ]"
      [ -z "$(engines)" ] || fail 'there is another engine'
      rm /run/systemd/system/tributary.service.d/left.conf
      systemctl daemon-reload
      systemctl restart tributary || fail 'it does not start after the kill'
      until_true 60 is_phase providing
      is_one_engine || fail "not one engine: $(engines)"
      until_true 60 is_reached 192.0.2.10
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
      [ "$(tributary service clients --json | $node -p 'JSON.parse(fs.readFileSync(0)).clients.length')" = 1 ] ||
        fail 'the service knows another client'
    `);
  });
});

/** What the scripts say besides the words of the world. */
const words = `
main_pid() { systemctl show --value -p MainPID tributary; }
# What becomes the engine is another program before.
engines() { pgrep -f '^/usr/lib/tributary/node .*/engine[.]cjs'; }
is_one_engine() { [ "$(engines | wc -l)" = 1 ]; }
source_has() { tributary status --json | $node -p "JSON.parse(fs.readFileSync(0)).sources[0].$1"; }
kernel_says() { sed -n "s/^$2:[[:space:]]*//p" /proc/$1/status; }
# As a process of the unit, for which its devices are counted.
as_in_unit() { sh -c "echo \\$\\$ >/sys/fs/cgroup/system.slice/tributary.service/cgroup.procs; $1"; }
`;
