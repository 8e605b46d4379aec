import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './support/machine.ts';
import { type PreparedPackages, preparePackages } from './support/packages.ts';
import { changeSample, makeSampleConffile, repack } from './support/repack.ts';

/*
 * The package and the host's own order: no question, no failed unit and nothing left behind, on a
 * host that nobody looks after. There is no world around it: what the package needs is there.
 */
let packages: PreparedPackages;

beforeAll(async () => {
  packages = await preparePackages('1.0.0');
  const from = packages.pathOf('1.0.0');
  const name = (version: string) => join(packages.folder, `tributary_${version}_all.deb`);
  await repack({ from, to: name('0.9.0-1'), version: '0.9.0-1', change: makeSampleConffile });
  await repack({ from, to: name('1.1.0-1'), version: '1.1.0-1', change: changeSample });
});

afterAll(() => packages?.remove());

describe.each(['bookworm', 'trixie'] as const)('on %s, the package', (suite) => {
  let machine: Machine;

  beforeAll(async () => {
    machine = await createMachine({ suite });
    await packages.putInto(machine);
  });

  afterAll(() => machine?.remove());

  const run = async (script: string) => {
    const { exitCode, text } = await machine.boot(`set -u\n${words}\n${script}`, 240_000);
    expect(exitCode, text).toBe(0);
  };

  it('without a configuration has no failed unit and makes no namespace, at once and after a boot', async () => {
    await run(`
      install_package 1.0.0-1
      [ "$(stat -c '%a %U %G' $owners)" = '644 root root' ] || fail "it is another's: $(stat $owners)"
      cmp $owners /usr/share/tributary/tributary.yaml || fail 'the owner has no sample'
      systemctl is-enabled tributary || fail 'it does not start at boot'
      is_waiting
      curl -s http://127.0.0.1:9469/livez && fail 'a visitor gets an answer'
      is_waiting
      tributary config set provide.mode friends
      sleep 3; is_waiting
    `);
    await run('is_waiting');
  });

  it('says what is wrong with a configuration, and starts with a good one', async () => {
    await run(`
      tributary config set service.base_ulr https://service.example && fail 'a key that there is not was set'
      echo 'service: { base_ulr: "https://service.example" }' >$owners
      until_true 20 has ActiveState failed
      has ExecMainStatus 78 || fail 'it does not say that it is the configuration'
      journalctl --unit=tributary --priority=err --output=cat | grep -q 'base_ulr' || fail "no error in the journal: $(journalctl -u tributary)"
      echo 'service: { base_url: "https://service.example" }' >$owners
      until_true 20 has ActiveState active
      [ -e /run/netns/tributary ] || fail 'it has no namespace'
      until_true 20 curl -sf http://127.0.0.1:9469/livez
      journalctl --unit=tributary --priority=info --output=cat | grep -q '^starting  version=' || fail "another log: $(journalctl -u tributary)"
      journalctl --unit=tributary --output=json | grep -q '"PRIORITY":"4"' || fail "no warning: $(journalctl -u tributary -o verbose)"
    `);
  });

  it.each([
    ['while the units look for one', 'sleep 1', 'restart'],
    // As setup starts it: the restart may be skipped with a start that is about to be.
    ['as soon as they have found none', 'while is_looking; do sleep 0.1; done', 'restart start'],
  ])(
    'is started by a service that is written down %s, on a slow board too',
    async (_when, wait, tasks) => {
      await run(`
      [ -e /usr/bin/tributary ] || install_package 1.0.0-1
      echo 'provide: { mode: friends }' >$owners
      sleep 1; systemctl stop tributary.path tributary; has ActiveState inactive || fail "it is not stopped"
      # With the namespace still there, nothing would be looked for.
      until_true 20 is_without_namespace
      printf '#!/bin/sh\\n[ "$*" = "config check" ] || exec tributary-itself "$@"\\ntributary-itself "$@"; sleep 3\\n' >slow
      chmod 755 slow; mv /usr/bin/tributary /usr/bin/tributary-itself; mv slow /usr/bin/tributary
      is_looking() { systemctl show -p ActiveState tributary-netns | grep -q =activating; }
      systemctl start --no-block tributary
      until_true 10 is_looking; ${wait}
      echo 'service: { base_url: "https://service.example" }' >$owners
      for task in ${tasks}; do systemctl $task tributary; done
      mv /usr/bin/tributary-itself /usr/bin/tributary
      has ActiveState active || fail 'it is skipped'
    `);
    },
  );

  it('is purged from a host that runs, and the host is as before', async () => {
    await run(`
      [ -e /usr/bin/tributary ] || install_package 1.0.0-1
      echo 'service: { base_url: "https://service.example" }' >$owners
      until_true 20 has ActiveState active
      purge
      list_run >run-after; diff /srv/run-before run-after || fail 'something is left in /run'
    `);
  });

  it.each(['while it starts', 'while the host is looked at', 'after it failed'])(
    'is purged %s, and no unit has failed',
    async (when) => {
      await run(`
      install_package 1.0.0-1
      echo 'service: { base_url: "https://service.example" }' >$owners
      case '${when}' in
        *starts) until_true 20 has ActiveState activating; sleep 0.2 ;;
        *'looked at')
          until_true 20 has ActiveState active
          until_true 30 sh -c 'systemctl show -p ActiveState tributary-netns-check | grep -q activating'
          ;;
        *failed) echo 'service: [' >$owners; until_true 20 has ActiveState failed ;;
      esac
      purge
    `);
    },
  );

  it.each([
    ['untouched', ':'],
    [
      'edited',
      'tributary config set service.base_url https://service.example; echo "# mine" >>$owners',
    ],
    [
      'written anew',
      'echo "service: { base_url: https://service.example }" >$owners; chmod 640 $owners',
    ],
    ['removed', 'rm $owners'],
  ])(
    'is upgraded without a question where the owner’s file is %s, and keeps it',
    async (how, edit) => {
      // An older package installs its conffile only where the file is missing.
      const versions = ['1.0.0-1', '1.1.0-1', ...(how === 'removed' ? [] : ['0.9.0-1', '1.1.0-1'])];
      await run(`
      install_package 0.9.0-1
      grep -q /etc/tributary/tributary.yaml /var/lib/dpkg/info/tributary.conffiles || fail 'the sample is no conffile yet'
      ${edit}
      look_at_file >file-before
      for version in ${versions.join(' ')}; do
        install_package $version
        look_at_file | diff file-before - || fail "$version touched the owner's file"
        ! ls -A /etc/tributary | grep -v '^tributary.yaml$' || fail "$version left more files"
      done
      purge
      [ ! -e /etc/tributary ] || fail 'the configuration is left'
    `);
    },
  );
});

const words = `
export DEBIAN_FRONTEND=noninteractive
owners=/etc/tributary/tributary.yaml
fail() {
  echo "FAILED: $*"
  systemctl --failed --no-pager
  systemctl status --no-pager --lines=10 'tributary*' 2>&1 | tail -n 60
  journalctl --no-pager --lines=40 | tail -n 40
  exit 1
}
until_true() {
  deadline=$(($(date +%s) + $1)); shift
  until "$@" >/dev/null 2>&1; do [ "$(date +%s)" -lt "$deadline" ] || fail "waited in vain for: $*"; sleep 0.05; done
}
has() { [ "$(systemctl show --value -p "$1" tributary)" = "$2" ]; }
# A question would read the end of a file, and end dpkg.
install_package() {
  apt-get install -y --allow-downgrades /srv/packages/tributary_$1_*.deb </dev/null >apt.log 2>&1 || fail "it is not installed: $(cat apt.log)"
  ! grep -v downgrading apt.log | grep -iE 'warning|unable|conffile|configuration file' || fail "dpkg has something to say: $(cat apt.log)"
}
# What systemctl says of the whole system, and of each unit that failed.
list_state() { systemctl is-system-running --wait; systemctl --failed --no-legend --plain; }
# Nothing but what comes and goes in every boot.
list_run() { findmnt -rno TARGET | grep ^/run | grep -v '^/run/\\(credentials\\|user\\)' | sort; ls -A /run | grep -v agetty.reload | sort; }
# Of the host that has never had the package.
[ -e /srv/state-before ] || { list_state >/srv/state-before; list_run >/srv/run-before; }
is_without_namespace() { [ "$(systemctl show --value -p ActiveState tributary-netns)" = inactive ]; }
is_waiting() {
  list_state | diff /srv/state-before - || fail 'a unit has failed'
  for unit in tributary.service tributary.socket tributary-netns.service tributary-netns-watch.service tributary-netns-check.path tributary-netns-forget.path; do
    [ "$(systemctl show --value -p ActiveState $unit)" = inactive ] || fail "$unit is not at rest"
  done
  [ "$(systemctl show --value -p ActiveState tributary.path)" = active ] || fail 'nobody waits for a configuration'
  [ ! -e /run/netns ] || fail 'there is a namespace'
  ! ip link show tributary-host 2>/dev/null || fail 'there is a wire'
}
look_at_file() { stat -c '%a %U %G %i %Y' $owners 2>&1; cat $owners 2>/dev/null; }
purge() {
  apt-get purge -y tributary </dev/null >apt.log 2>&1 || fail "it is not purged: $(cat apt.log)"
  list_state | diff /srv/state-before - || fail 'a unit has failed'
  ! systemctl list-units --all --no-legend --plain 'tributary*' | grep . || fail 'systemd knows a unit of it still'
}
`;
