import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './support/machine.ts';
import { type PreparedPackages, preparePackagesAndWorld } from './support/packages.ts';

/*
 * The program's files are replaced under a running agent, and nobody restarts it, because dpkg was
 * cut short: it goes on or is started again, and is never alive without doing its work.
 */
let packages: PreparedPackages;

beforeAll(async () => {
  packages = await preparePackagesAndWorld('1.0.0', '1.0.1');
});

afterAll(() => packages?.remove());

describe.each(['bookworm', 'trixie'] as const)('on %s, the running agent', (suite) => {
  let machine: Machine;

  beforeAll(async () => {
    machine = await createMachine({ suite });
    await packages.putInto(machine);
  });

  afterAll(() => machine?.remove());

  it('survives that its files are replaced, or is started again, as the same client', async () => {
    const { exitCode, text } = await machine.boot(
      `
      set -u
      node=/srv/world/node dist=/srv/world/dist
      . /srv/world/world.sh
      ${words}
      make_world; connect_host; write_config
      # A service is told a mode for more people within minutes: it stays the same here.
      provide '{ mode: public }'
      DEBIAN_FRONTEND=noninteractive apt-get install -y /srv/packages/tributary_1.0.0-1_*.deb </dev/null >apt.log 2>&1 ||
        fail "it is not installed: $(cat apt.log)"
      auth_code | tributary login || fail 'the login failed'
      until_true 60 is_phase providing
      until_true 20 is_reached 192.0.2.10
      client_id >client; old=$(pid)

      dpkg --unpack /srv/packages/tributary_1.0.1-1_*.deb >dpkg.log 2>&1 || fail "it is not unpacked: $(cat dpkg.log)"
      [ "$(pid)" = $old ] || fail 'unpacking ended the agent'
      until_true 60 is_phase providing
      is_reached 192.0.2.10 || fail 'unpacking ended the forwarding'
      # What the old agent loads late, it loads from the new files, or not at all.
      until_true 60 tributary pause
      until_true 20 is_phase idle
      until_true 60 tributary resume
      provide '{ mode: public, schedule: [ { cron: "* * * * *", mode: public } ] }'
      systemctl reload tributary || true
      until_true 90 is_phase providing
      # A service is told a wider mode once a minute.
      until_true 90 is_reached 192.0.2.10

      # A moment in which no file of it is there that it did not load before.
      hide_parts
      old=$(pid) before=$(count_readings)
      provide '{ mode: public }'; kill -HUP $old
      until_true 20 has_read
      show_parts
      until_true 90 is_phase providing
      until_true 30 is_reached 192.0.2.10

      # It ends though it can load nothing any more, and in time: systemd does not have to kill it.
      hide_parts
      systemctl stop tributary
      show_parts
      is_inactive tributary || systemctl is-failed tributary || fail 'it did not end'
      [ "$(systemctl show --value -p Result tributary)" != timeout ] || fail 'it had to be killed'
      until_true 20 is_inactive tributary-netns
      systemctl start tributary || fail 'it does not start'
      until_true 60 is_phase providing

      old=$(pid)
      dpkg --configure --pending </dev/null >dpkg.log 2>&1 || fail "it is not configured: $(cat dpkg.log)"
      until_true 20 is_another
      until_true 60 is_phase providing
      until_true 30 is_reached 192.0.2.10
      [ "$(tributary --version)" = 1.0.1 ] || fail 'it is of another version'
      [ "$(client_id)" = "$(cat client)" ] || fail 'it is another client'
      [ "$(tributary service clients --json | $node -p 'JSON.parse(fs.readFileSync(0)).clients.length')" = 1 ] ||
        fail 'the service knows another client'
    `,
      420_000,
    );
    expect(exitCode, text).toBe(0);
  });
});

const words = `
provide() { sed -i /^provide:/d /etc/tributary/tributary.yaml; echo "provide: $1" >>/etc/tributary/tributary.yaml; }
pid() { systemctl show --value -p MainPID tributary; }
is_another() { [ "$(pid)" != 0 ] && [ "$(pid)" != "$old" ]; }
count_readings() { journalctl --unit=tributary --output=cat | grep -cE 'the configuration was read again|the new configuration is refused'; }
# Or it ended, because it could not.
has_read() { [ "$(count_readings)" -gt "$before" ] || is_another; }
hide_parts() { mkdir -p /srv/away && mv /usr/lib/tributary/*.cjs /srv/away; }
show_parts() { mv /srv/away/*.cjs /usr/lib/tributary; }
`;
