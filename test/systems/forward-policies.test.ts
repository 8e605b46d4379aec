import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine } from './support/machine.ts';
import { buildProgram, installProgram } from './support/program.ts';

/*
 * The programs that close an owner's host, as Debian has them: started as its owner starts them,
 * they let the namespace's packets through while the service runs, and say afterwards what they
 * said before.
 */
const firewalls = [
  {
    name: 'firewalld',
    // systemd calls firewalld started before its rules are loaded.
    start: 'systemctl start firewalld && until_true 20 firewall-cmd --state',
    says: 'firewall-cmd --list-all-zones; firewall-cmd --permanent --list-all-zones',
    loadAnew: [
      'firewall-cmd --reload',
      'systemctl restart firewalld',
      'systemctl restart firewalld',
    ],
    takeAway: 'firewall-cmd --zone=trusted --remove-interface=tributary-host',
    // A zone that was once in use keeps its chains until firewalld loads its rules again. They are
    // empty, and nothing leads to them.
    leaves: 'firewall-cmd --reload',
  },
  {
    name: 'ufw',
    // ufw's first start leaves out two rules, which it makes whenever it loads its rules again.
    start: 'ufw --force enable && ufw reload',
    says: 'ufw status verbose; cat /etc/ufw/user.rules',
    loadAnew: ['ufw reload', 'ufw reload', 'ufw disable && ufw --force enable'],
    takeAway: 'iptables -F ufw-user-forward',
    leaves: 'true',
  },
  {
    name: 'iptables',
    start:
      'update-alternatives --quiet --set iptables /usr/sbin/iptables-legacy; iptables -P FORWARD DROP',
    says: 'iptables-legacy -S',
    loadAnew: ['iptables -F FORWARD', 'iptables -F FORWARD'],
    takeAway: 'iptables -F FORWARD',
    leaves: 'true',
  },
] as const;

describe.each(['bookworm', 'trixie'] as const)('on %s, a host that is closed', (suite) => {
  let build: string;

  beforeAll(async () => {
    build = await buildProgram();
  });

  afterAll(() => rm(build, { recursive: true, force: true }));

  /** On a machine of its own: what one firewall leaves of another's rules is nobody's. */
  const run = async (script: string) => {
    const machine = await createMachine({ suite, packages: ['firewalld', 'ufw'] });
    try {
      await installProgram(machine, build);
      const { exitCode, text } = await machine.boot(script);
      expect(exitCode, text).toBe(0);
    } finally {
      await machine.remove();
    }
  };

  it.each(firewalls)(
    'by $name leads out while the service runs, and is as before afterwards',
    async (firewall) => {
      await run(renderScript(firewall));
    },
  );

  it('by a firewalld that died keeps nobody from starting, and leads out when it is back', async () => {
    await run(`
      ${begin}
      start_and_kill() {
        systemctl restart firewalld && until_true 20 firewall-cmd --state
        systemctl kill --signal=KILL firewalld
        until_true 10 systemctl is-failed firewalld
      }
      leads_out() { [ "$(on tributary $node $dist/worker.cjs probe 192.0.2.10 80)" = "$1" ]; }
      start_and_kill
      systemctl start tributary || fail 'it did not start'
      TRIBUTARY_AUTH_CODE=$(auth_code) tributary login || fail 'the login failed'
      leads_out refused || fail 'the host is not closed'
      systemctl start firewalld
      until_true 40 leads_out reached
      until_true 40 is_reached 192.0.2.10

      start_and_kill
      systemctl stop tributary || fail 'it does not stop'
      until_true 10 is_inactive tributary-netns
      systemctl start firewalld
      snapshot | grep tributary && fail 'a trace is left'
      true
    `);
  });
});

const begin = `
  set -u
  . ./world.sh
  # Debian starts it at boot; here one at a time is there. Stopped before it is up, it would leave half its rules.
  until_true 30 firewall-cmd --state
  systemctl disable --quiet --now firewalld
  make_world; write_config; connect_host
  # The world's router does not tell its public address, which would be a warning.
  sed -i 's/gateway: {/& public_address: { fixed: 203.0.113.7 },/' /etc/tributary/tributary.yaml
`;

function renderScript({
  name,
  start,
  says,
  loadAnew,
  takeAway,
  leaves,
}: (typeof firewalls)[number]): string {
  return `
    ${begin}
    everything() { snapshot | leave_out_idle_zone; ${says}; }
    # Nothing is mended at this moment.
    has_looked() { until_true 20 is_inactive tributary-netns-check; }
    leave_out_idle_zone() { sed '/^\\tchain [a-zA-Z_]*_trusted/,/^\\t}/d' | grep -v '^$'; }
    opens_nothing() {
      [ "$($node $dist/worker.cjs probe 192.168.77.10 80)" = reached ] || fail 'nobody serves on the host'
      is_refused 192.168.77.10 || fail 'a consumer reached the host'
      [ "$(on tributary $node $dist/worker.cjs probe 198.18.213.1 80)" = refused ] || fail 'the host is open to the namespace'
      is_refused 192.168.77.1 || fail 'a consumer reached the home network'
    }
    $node $dist/worker.cjs serve 0.0.0.0 80 >/run/world/host-web.log 2>&1 &
    until_true 20 grep -q listening /run/world/host-web.log
    { ${start}; } || fail 'the firewall does not start'
    snapshot >rules-before; everything >before
    systemctl start tributary || fail 'it did not start'
    TRIBUTARY_AUTH_CODE=$(auth_code) tributary login || fail 'the login failed'
    until_true 40 is_phase providing
    until_true 20 is_reached 192.0.2.10
    opens_nothing
    tributary doctor >doctor.log || fail "the doctor finds a fault where none is: $(grep -A 1 FAIL doctor.log)"

    systemctl stop tributary-netns-watch
    has_looked
    { ${takeAway}; } || fail 'our rules are not where they should be'
    is_refused 192.0.2.10 || fail 'the host was not closed'
    tributary doctor >doctor.log
    grep -q '^FAIL  Other firewalls *${name} blocks forwarded traffic' doctor.log || fail "the doctor does not name it: $(cat doctor.log)"
    [ "$(grep -c ^FAIL doctor.log)" = 1 ] || fail "the doctor finds more than that: $(cat doctor.log)"
    systemctl start tributary-netns-watch
    until_true 40 is_reached 192.0.2.10
    ${loadAnew.map((again) => `has_looked; { ${again}; } || fail 'it is not loaded anew'; until_true 40 is_reached 192.0.2.10`).join('\n    ')}
    opens_nothing

    systemctl stop tributary || fail 'it does not stop'
    until_true 10 is_inactive tributary-netns
    is_refused 192.0.2.10 || fail 'it forwards still'
    everything >after
    diff before after || fail 'the host is not as it was'
    ${leaves}
    snapshot >rules-after
    diff rules-before rules-after || fail 'a trace is left'
  `;
}
