import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, splitCommands } from '../pages.ts';
import { createMachine, type Machine } from './support/machine.ts';
import { type PreparedPackages, preparePackagesAndWorld } from './support/packages.ts';

/*
 * The life of a package on a host with systemd and no way out: installed, configured, signed in,
 * upgraded while a consumer downloads, removed, installed again, purged.
 */
let packages: PreparedPackages;

/**
 * The page's way onto a host, and the same line for scripts; for root and for the service, package
 * and code of this world.
 */
const [install, script] = readBlocks('sh', 'docs/install-debian.md').map((block) =>
  splitCommands(block).map((line) =>
    line
      .replace(/^sudo /, '')
      .replace(/\.\/tributary_\S+\.deb/, '/srv/packages/tributary_1.0.0-1_*.deb')
      .replace('https://service.example', '"$service"')
      // Only then strangers get through.
      .replace('--mode friends', '--mode public'),
  ),
);
const [installLine, setUp] = install ?? [];
const [inScript = ''] = script ?? [];

beforeAll(async () => {
  // Two commands, or these tests prove nothing of them.
  expect([install, setUp]).toEqual([[installLine, setUp], 'tributary setup']);
  expect(inScript).toMatch(/^tributary setup --service "\$service" .*--code-file code\.txt$/);
  packages = await preparePackagesAndWorld('1.0.0', '1.0.1');
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
    const { exitCode, text } = await machine.boot(
      `set -u\n${words}\nkeep_service; make_world\nconnect_host\n${script}`,
      240_000,
    );
    expect(exitCode, text).toBe(0);
    return text;
  };

  it('is installed without a network, and provides after two commands', async () => {
    await run(`
      snapshot >host-before; list_files >files-before
      # One.
      { ${installLine}; } </dev/null >apt.log 2>&1 || fail "it is not installed: $(cat apt.log)"
      grep -q '${setUp}' apt.log || fail 'it does not say what is next'
      [ "$(ls /usr/lib/tributary/*.compiled | wc -l)" -gt 50 ] || fail 'it is not compiled'
      systemctl is-enabled tributary || fail 'it does not start at boot'
      is_inactive tributary || fail 'it runs without a service'
      setpriv --reuid=65534 --regid=65534 --clear-groups tributary demo >demo.log 2>&1 || fail "there is no demonstration: $(cat demo.log)"
      grep -q 'All as promised' demo.log || fail "the demonstration is not whole: $(cat demo.log)"
      tributary login </dev/null 2>&1 | grep -q '> Set this device up: sudo tributary setup' || fail 'login does not say what to set'
      fit_to_world
      # Two.
      auth_code >code.txt
      ${inScript} || fail 'it is not set up'
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      download 3000000 || fail 'a download did not come whole'
      [ "$(tributary --version)" = 1.0.0 ] || fail 'it is of another version'
      dpkg --verify tributary | grep . && fail 'files are not as they were packed'
      client_id >client
    `);
  });

  it('starts at boot, and an upgrade keeps the client and a running download', async () => {
    const text = await run(`
      until_true 60 is_phase providing
      journalctl --boot --output cat | grep 'ordering cycle' && fail 'systemd left a unit out'
      until_true 20 is_reached 192.0.2.10
      cp /etc/tributary/tributary.yaml owners.yaml
      on consumer $node $dist/worker.cjs download http://192.0.2.10:80/bytes/60000000 120 >download.log &
      downloading=$!
      until_true 10 grep -q '"progress":[1-9]' download.log
      pid=$(systemctl show --value -p MainPID tributary)
      install_package 1.0.1
      kill -0 $downloading || fail 'the download was over before the upgrade was'
      [ "$(systemctl show --value -p MainPID tributary)" != "$pid" ] || fail 'the old program runs still'
      [ "$(tributary --version)" = 1.0.1 ] || fail 'it is of another version'
      wait $downloading
      tail -n 1 download.log | grep -q '"isWhole":true' || fail 'the download was cut off'
      until_true 40 is_phase providing
      [ "$(client_id)" = "$(cat client)" ] || fail 'it is another client'
      cmp /etc/tributary/tributary.yaml owners.yaml || fail 'the configuration was touched'
      [ "$(tributary service clients --json | $node -p 'JSON.parse(fs.readFileSync(0)).clients.length')" = 1 ] || fail 'the service knows another client'
      longest_gap download.log
    `);
    // Far less than the permit lasts.
    expect(Number(/nothing arrived for ([\d.]+) s/.exec(text)?.[1]), text).toBeLessThan(20);
  });

  it('is removed with everything it did to the host, and keeps configuration and state', async () => {
    await run(`
      until_true 60 is_phase providing
      apt-get remove -y tributary >apt.log 2>&1 || fail "it is not removed: $(cat apt.log)"
      snapshot >host-after
      diff host-before host-after || fail 'the host is not as it was'
      cmp /etc/tributary/tributary.yaml owners.yaml || fail 'the configuration is gone'
      [ -s /var/lib/private/tributary/registration.json ] || fail "the state is gone: $(ls -la /var/lib/private/tributary)"
      [ ! -e /usr/lib/tributary ] || fail 'the program is still there'
      ! pgrep -f /usr/lib/tributary || fail 'something of it runs still'
      install_package 1.0.1
      until_true 60 is_phase providing
      [ "$(client_id)" = "$(cat client)" ] || fail 'it is another client'
    `);
  });

  it('provides to consumers of the network’s own protocol once that is switched on', async () => {
    await run(`
      until_true 60 is_phase providing
      tributary config set source connect && systemctl restart tributary || fail 'it is not switched on'
      until_true 60 is_phase providing
      use_provider
      until_true 30 is_reached 192.0.2.10
      download 3000000 || fail 'a download did not come whole'
      is_refused 192.168.77.1 || fail 'the home network was reached'
      engine=$(pgrep -f '^/usr/lib/tributary/node .*/engine[.]cjs') || fail 'there is no engine'
      grep -q '^CapEff:[[:space:]]*0*$' /proc/$engine/status || fail 'it has a capability'
      journalctl --boot --unit tributary | grep 'does not restrict' && fail 'it could read the files of the agent'
      [ "$(client_id)" = "$(cat client)" ] || fail 'it is another client'
    `);
  });

  it('is purged, and nothing of it is left', async () => {
    await run(`
      until_true 60 is_phase providing
      echo code >/etc/tributary/auth-code
      apt-get purge -y tributary >apt.log 2>&1 || fail "it is not purged: $(cat apt.log)"
      snapshot >host-after
      diff host-before host-after || fail 'the host is not as it was'
      list_files >files-after
      diff files-before files-after || fail 'files are left'
    `);
  });
});

/** What the scripts say besides the words of the world. */
const words = `
node=/srv/world/node dist=/srv/world/dist
. /srv/world/world.sh
# The service is the same from boot to boot, and knows its clients.
keep_service() {
  mkdir -p /srv/world/service /run/world
  ln -s /srv/world/service /run/world/service
}
install_package() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y /srv/packages/tributary_$1-1_*.deb >apt.log 2>&1 ||
    fail "it is not installed: $(cat apt.log)"
}
# The world has no TLS, an Internet of documentation addresses, and a download that shall last.
fit_to_world() {
  tributary config set service.allow_insecure_http true
  tributary config set gateway.allow_destinations '[192.0.2.0/24, 198.51.100.0/24]'
  tributary config set provide.rate_limit.line '20 Mbit'
}
# What a package may leave behind: not what apt, dpkg, the journal and systemd write for themselves.
list_files() {
  find /etc /usr /opt /var /lib/systemd -xdev \\( -path '/var/log/*' -o -path '/var/cache/*' -o -path '/var/tmp/*' \\
    -o -path '/var/lib/dpkg/*' -o -path '/var/lib/apt/*' -o -path '/var/lib/systemd/*' -o -path /etc/machine-id \\) -prune -o -print |
    grep -v -e /etc/resolv.conf -e '/etc/\\.pwd.lock' -e '/etc/.*-$' | sort
  find /var/lib/systemd /var/lib/dpkg/info -name '*tributary*' | sort
}
# Seconds in which nothing arrived, at most.
longest_gap() {
  $node -e '
    const lines = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\\n").map((line) => JSON.parse(line));
    let at = 0, bytes = 0, gap = 0;
    for (const line of lines) if ((line.progress ?? 0) > bytes) { gap = Math.max(gap, line.seconds - at); at = line.seconds; bytes = line.progress; }
    console.log("nothing arrived for", gap.toFixed(1), "s at most");' "$1"
}
`;
