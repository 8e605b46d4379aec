import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './support/machine.ts';
import { type PreparedPackages, preparePackagesAndWorld } from './support/packages.ts';
import { repack } from './support/repack.ts';

/*
 * An older package, whose agent ran as a user that systemd made for each start and with a right on
 * the host, is upgraded: consumers notice nothing, the state is the new user's, and the next
 * namespace is that user's own.
 */
let packages: PreparedPackages;

beforeAll(async () => {
  packages = await preparePackagesAndWorld('1.0.0');
  const to = join(packages.folder, 'tributary_0.9.0-1_all.deb');
  await repack({ from: packages.pathOf('1.0.0'), to, version: '0.9.0-1', change: makeOld });
});

afterAll(() => packages?.remove());

/** The unit, the files and the script as they were without a user of the package's own. */
async function makeOld(folder: string): Promise<void> {
  const units = join(folder, 'usr/lib/systemd/system');
  await rm(join(units, 'tributary-right.service'));
  await rm(join(folder, 'usr/lib/sysusers.d'), { recursive: true });
  const change = async (path: string, turn: (text: string) => string) => {
    const text = await readFile(path, 'utf8');
    const turned = turn(text);
    expect(turned).not.toBe(text);
    await writeFile(path, turned);
  };
  await change(join(units, 'tributary.service'), (text) =>
    text
      .replaceAll('tributary-right.service', '')
      .replace(
        /ExecStart=\/bin\/sh (.*\\\n)*.*\n/,
        'ExecStart=/usr/bin/tributary run --keep-fence\n',
      )
      .replace('User=tributary\n', '')
      .replace(
        'CapabilityBoundingSet=\n',
        'CapabilityBoundingSet=CAP_NET_ADMIN\nAmbientCapabilities=CAP_NET_ADMIN\n',
      )
      .replace('RestrictNamespaces=user', 'RestrictNamespaces=yes'),
  );
  await change(join(folder, 'DEBIAN/postinst'), (text) =>
    text.replace(/^.*systemd-sysusers tributary\.conf$/m, '  :'),
  );
}

describe.each(['bookworm', 'trixie'] as const)('on %s, an older package', (suite) => {
  let machine: Machine;

  beforeAll(async () => {
    // With it the users that systemd makes are known by their names to every program.
    machine = await createMachine({ suite, packages: ['libnss-systemd'] });
    await packages.putInto(machine);
  });

  afterAll(() => machine?.remove());

  it('is upgraded while a consumer downloads, and its agent has no right on the host after the next stop and start', async () => {
    const { exitCode, text } = await machine.boot(
      `
      set -u
      node=/srv/world/node dist=/srv/world/dist
      . /srv/world/world.sh
      install_package() {
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /srv/packages/tributary_$1-1_*.deb </dev/null >apt.log 2>&1 ||
          fail "it is not installed: $(cat apt.log)"
      }
      pid() { systemctl show --value -p MainPID tributary; }
      owner() { stat -c %u:%g /proc/$(pid); }
      right() { sed -n 's/^CapEff:\\t//p' /proc/$(pid)/status; }
      is_on_host() { [ "$(readlink /proc/$(pid)/ns/user)" = "$(readlink /proc/self/ns/user)" ]; }
      state=/var/lib/private/tributary
      make_world; connect_host; write_config
      install_package 0.9.0
      auth_code | tributary login || fail 'the login failed'
      tributary config set provide.rate_limit.line '20 Mbit'
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      grep -q ^tributary: /etc/passwd && fail 'the older one has a user, too'
      is_on_host || fail 'the older one is in a user namespace, too'
      old=$(owner); first=$(client_id)
      [ "$(stat -c %u:%g $state)" = "$old" ] || fail 'the state is not that of the old user'
      on consumer $node $dist/worker.cjs download http://192.0.2.10:80/bytes/40000000 120 >download.log &
      downloading=$!
      until_true 10 grep -q '"progress":[1-9]' download.log
      install_package 1.0.0
      until_true 40 is_phase providing
      kill -0 $downloading || fail 'the download was over before the upgrade was'
      wait $downloading
      tail -n 1 download.log | grep -q '"isWhole":true' || fail 'the download was cut off'
      new=$(grep ^tributary: /etc/passwd | cut -d: -f3,4)
      [ -n "$new" ] && [ "$new" != "$old" ] || fail "there is no user of its own: $new, and before $old"
      [ "$(owner)" = "$new" ] || fail "it runs as $(owner), not as $new"
      find $state | while read -r file; do [ "$(stat -c %u:%g "$file")" = "$new" ] || echo "$file"; done >others
      [ ! -s others ] || fail "not of its user: $(cat others)"
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
      # The namespace is the old one, for the consumers in it.
      is_on_host || fail 'the namespace was made anew'
      [ "$(right)" = 0000000000001000 ] || fail "another right: $(right)"
      tributary doctor | grep -A1 'Rights on host' | tee said
      grep -q 'sudo systemctl stop tributary && sudo systemctl start tributary' said || fail 'the doctor does not say what to do'
      systemctl stop tributary; until_true 20 is_inactive tributary-netns
      systemctl start tributary || fail 'it does not start'
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      is_on_host && fail 'it has a right on the host still'
      [ "$(right)" = 0000000000001000 ] || fail "another right: $(right)"
      [ "$(owner)" = "$new" ] || fail "it runs as $(owner), not as $new"
      systemctl show -p CapabilityBoundingSet -p AmbientCapabilities tributary | grep =. && fail 'its unit has a right on the host still'
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
      tributary doctor | grep 'Rights on host' | grep -q 'none:' || fail 'the doctor is not content'
      ls /run/systemd/system/tributary.service.d 2>/dev/null | grep . && fail 'the file for the old way is left'
      apt-get purge -y tributary </dev/null >apt.log 2>&1 || fail "it is not purged: $(cat apt.log)"
      [ ! -e /run/tributary-userns ] && [ ! -e $state ] || fail 'something is left'
    `,
      300_000,
    );
    expect(exitCode, text).toBe(0);
  });
});
