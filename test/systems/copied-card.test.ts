import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMachine, type Machine } from './support/machine.ts';
import { type PreparedPackages, preparePackagesAndWorld } from './support/packages.ts';

/*
 * The package's service, with all that systemd keeps from it, on a machine that is given another
 * machine id.
 */
let packages: PreparedPackages;
let machine: Machine;

beforeAll(async () => {
  packages = await preparePackagesAndWorld('1.0.0');
  machine = await createMachine({ suite: 'bookworm' });
  await packages.putInto(machine);
});

afterAll(async () => {
  await machine?.remove();
  await packages?.remove();
});

it('a card in another machine asks first, then goes on as the same device, or as another one', async () => {
  const { exitCode, text } = await machine.boot(
    `
    set -u
    node=/srv/world/node dist=/srv/world/dist
    . /srv/world/world.sh
    state=/var/lib/private/tributary
    # By these this machine says that it is a container, whose id says nothing.
    rm -f /run/systemd/container /run/machine-id
    move() {
      systemctl stop tributary
      od -An -N16 -tx1 /dev/urandom | tr -d ' \\n' >/etc/machine-id
      systemctl start tributary
      until_true 30 is_phase blocked
      tributary status | grep -q identity-moved || fail 'it does not say why'
    }
    make_world; connect_host
    apt-get install -y /srv/packages/tributary_1.0.0-1_*.deb >apt.log 2>&1 || fail "it is not installed: $(cat apt.log)"
    write_config
    systemctl restart tributary
    until_true 30 is_phase signed-out
    auth_code | tributary login || fail 'the login failed'
    until_true 40 is_phase providing
    until_true 20 is_reached 192.0.2.10
    grep -q '"machine-id": "[0-9a-f]\\{64\\}"' $state/identity.json || fail "its machine is not noted: $(cat $state/identity.json)"
    ! grep -rF "$(cat /etc/machine-id)" $state || fail 'the id itself is written down'
    client=$(client_id)

    move
    is_refused 192.0.2.10 || fail 'it forwards before its owner has said what it is'
    tributary doctor | grep -q 'FAIL.*registered on another machine' || fail 'the doctor does not say so'
    tributary device keep || fail 'it is not kept'
    until_true 40 is_phase providing
    [ "$(client_id)" = "$client" ] || fail 'it is another client'
    until_true 20 is_reached 192.0.2.10

    move
    tributary device new || fail 'it is no new device'
    until_true 40 is_phase providing
    [ "$(client_id)" != "$client" ] || fail 'it is the same client'
    [ "$(tributary service clients --json | $node -p 'JSON.parse(fs.readFileSync(0)).clients.length')" = 2 ] || fail 'the service knows another number'
    [ "$(ls $state | grep -c 'json\\.left-')" = 2 ] || fail "the old identity is gone: $(ls $state)"
    [ "$(stat -c %U:%a $state/*.left-* | sort -u)" = "$(stat -c %U $state):600" ] || fail 'others may read it'
    systemctl restart tributary
    until_true 40 is_phase providing
  `,
    400_000,
  );
  expect(exitCode, text).toBe(0);
});
