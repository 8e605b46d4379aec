import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../pages.ts';
import { answerAll, converse } from './support/conversation.ts';
import { createMachine, type Machine } from './support/machine.ts';
import { buildProgram, installProgram } from './support/program.ts';

const saidRootExposure = readExposure('of the units that run as root, at', 'at most');
const saidSmallExposure = readExposure('that make no namespace, at', 'at most');
const saidExposure = readExposure('the exposure of `tributary.service` at', 'of 10');

/*
 * The units under real systemd, as they are handed out, with real packets through a world of
 * namespaces around the machine.
 */
describe.each(['bookworm', 'trixie'] as const)('on %s, the service', (suite) => {
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

  /**
   * Runs it in the machine, with the world's words at hand; what it said is the message where it
   * fails.
   */
  const run = async (script: string) => {
    const { exitCode, text } = await machine.boot(
      `set -u\n. ./world.sh\nmake_world\nwrite_config\n${words}\n${script}`,
    );
    expect(exitCode, text).toBe(0);
    return text;
  };

  it('needs no mending: systemd finds nothing to say about its units', async () => {
    const text = await run(`
      cd /usr/lib/systemd/system
      systemd-analyze verify --man=no tributary* || fail 'systemd-analyze verify'
      systemd-analyze security --offline=true --threshold=15 tributary.service >/run/exposure || fail "it is too exposed: $(grep -v ✓ /run/exposure)"
      judge() {
        systemd-analyze security --offline=true --threshold=$2 $1 >/run/exposure-$1 || fail "the page says $2: $(tail -n 1 /run/exposure-$1)"
      }
      for unit in tributary-netns.service tributary-netns-check.service; do judge $unit ${Number(saidRootExposure) * 10}; done
      for unit in watch forget; do judge tributary-netns-$unit.service ${Number(saidSmallExposure) * 10}; done
      for unit in right page; do judge tributary-$unit.service ${Number(saidSmallExposure) * 10}; done
      grep -q 'tributary.service: ${saidExposure} ' /run/exposure || fail "the page says ${saidExposure}: $(tail -n 1 /run/exposure)"
      tail -n 1 /run/exposure
    `);
    // Read it in the test's report.
    process.stdout.write(`${suite}: ${text}`);
    expect(text.trim()).toMatch(
      /^→ Overall exposure level for tributary\.service: \d\.\d OK :-\)$/u,
    );
  });

  it('starts before there is a network, provides once there is one, and leaves the host as it was', async () => {
    const text = await run(`
      connect_host; snapshot >before; ip link delete eth0
      systemctl enable --now tributary.service || fail 'it did not start without a network'
      until_true 10 is_phase signed-out
      # As systemd runs it, drop-ins and all.
      systemd-analyze security --threshold=15 tributary.service >exposure || fail "it is too exposed: $(tail -n 1 exposure)"
      tail -n 1 exposure
      [ "$(ip netns identify $(systemctl show --value -p MainPID tributary))" = tributary ] || fail 'it is not in its namespace'
      grep -q '^Max core file size  *0  *0 ' /proc/$(systemctl show --value -p MainPID tributary)/limits || fail 'it may dump its memory'
      [ "$(systemctl show --value -p MemoryMax tributary)" = 268435456 ] || fail 'it may take all of the memory'
      [ "$(stat -c %U /proc/$(systemctl show --value -p MainPID tributary))" = tributary ] || fail 'it is another user'
      [ "$(show_rights CapEff)" = 0000000000001000 ] && [ "$(show_rights CapBnd)" = 0000000000001000 ] || fail 'it has another right than the one'
      [ "$(readlink /proc/$(systemctl show --value -p MainPID tributary)/ns/user)" != "$(readlink /proc/self/ns/user)" ] || fail 'its right holds on the host'
      systemctl show -p CapabilityBoundingSet -p AmbientCapabilities tributary | grep =. && fail 'it has a right on the host'
      connect_host
      until_true 30 sh -c 'nft list table inet tributary_host | grep -q eth0'
      TRIBUTARY_AUTH_CODE=$(auth_code) tributary login || fail 'the login failed'
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      download 3000000 || fail 'a download did not come whole'
      is_refused 192.168.77.1 || fail 'the home network was reached'
      is_refused 192.168.77.10 || fail 'the host was reached'
      until_true 10 sh -c 'systemctl show -p StatusText tributary | grep -q providing'
      curl -sf http://127.0.0.1:9469/livez || fail 'the page is not served on the host'
      tributary config set provide.rate_limit.line '20 Mbit'
      systemctl reload tributary || fail 'it does not read its configuration anew'
      until_true 10 systemctl is-active tributary
      first=$(client_id)
      inode=$(stat -Lc %i /run/netns/tributary)
      on consumer $node $dist/worker.cjs download http://192.0.2.10:80/bytes/15000000 60 >download.log &
      downloading=$!
      until_true 10 grep -q '"progress":[1-9]' download.log
      systemctl restart tributary || fail 'it does not start anew'
      kill -0 $downloading || fail 'the download was over, or cut off, before the restart was'
      [ "$(stat -Lc %i /run/netns/tributary)" = "$inode" ] || fail "a restart made another namespace, and interrupts everybody"
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      wait $downloading
      tail -n 1 download.log | grep -q '"isWhole":true' || fail 'a restart cut a download off'
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
      systemctl stop tributary || fail 'it does not stop'
      until_true 10 is_inactive tributary-netns
      curl -s http://127.0.0.1:9469/livez && fail 'a visitor started it again'
      snapshot >after
      diff before after || fail 'the host is not as it was'
      is_refused 192.0.2.10 || fail 'it forwards still'
    `);
    process.stdout.write(`${suite}, while it runs: ${/^→.*$/m.exec(text)?.[0]}\n`);
  });

  it('is killed when it hangs, and comes back as the same client', async () => {
    await run(`
      connect_host
      mkdir -p /etc/systemd/system/tributary.service.d
      printf '[Service]\\nWatchdogSec=8s\\nRestartSec=1s\\n' >/etc/systemd/system/tributary.service.d/quick.conf
      systemctl daemon-reload
      systemctl restart tributary || fail 'it did not start'
      until_true 40 is_phase providing
      first=$(client_id); pid=$(systemctl show --value -p MainPID tributary)
      sleep 20
      [ "$(systemctl show --value -p MainPID tributary)" = "$pid" ] || fail 'it was ended though it lives'
      kill -STOP $pid
      until_true 30 sh -c "! [ -e /proc/$pid ]"
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      [ "$(client_id)" = "$first" ] || fail 'it is another client'
      [ "$(systemctl show --value -p NRestarts tributary)" = 1 ] || fail 'it was not systemd that started it again'
    `);
  });

  it('waits with a refused configuration until it is changed', async () => {
    await run(`
      connect_host
      rm -r /etc/systemd/system/tributary.service.d; systemctl daemon-reload
      systemctl stop tributary
      echo 'sevrice: {}' >/etc/tributary/tributary.yaml
      systemctl start tributary && fail 'it started with a broken configuration'
      [ "$(systemctl show --value -p ExecMainStatus tributary)" = 78 ] || fail 'it does not say that it is the configuration'
      write_config
      until_true 40 is_phase providing
    `);
  });

  it('starts with a configuration that is put right as soon as it was refused', async () => {
    await run(`
      connect_host
      systemctl stop tributary
      echo 'sevrice: {}' >/etc/tributary/tributary.yaml
      systemctl start tributary && fail 'it started with a broken configuration'
      until_true 10 systemctl is-failed tributary
      tried=$(systemctl show --value -p ExecMainPID tributary)
      is_refused_again() {
        [ "$(systemctl show --value -p ExecMainPID tributary)" != "$tried" ] &&
          [ "$(systemctl show --value -p ExecMainStatus tributary)" = 78 ]
      }
      # tributary.path started this one, and looks away until it has ended.
      echo 'provide: {' >/etc/tributary/tributary.yaml
      until_true 20 is_refused_again
      # What an owner, or a program that writes for them, needs at the least.
      sleep 1
      write_config
      until_true 40 is_phase providing
    `);
  });

  it('starts however often it is started in a row', async () => {
    await run(`
      connect_host
      for time in $(seq 1 8); do
        systemctl stop tributary
        until_true 10 is_inactive tributary-netns
        systemctl start tributary || fail "start $time is refused"
      done
      for unit in tributary.path tributary.socket tributary-netns-watch tributary-netns-check.path tributary-netns-forget.path; do systemctl is-active $unit || fail "$unit is given up"; done
      until_true 40 is_phase providing
    `);
  });

  it('serves the page where the configuration says, from the next start on, and nowhere at port 0', async () => {
    await run(`
      connect_host
      systemctl restart tributary || fail 'it does not start'
      until_true 20 curl -sf http://127.0.0.1:9469/livez
      opened() { systemctl show --value -p ActiveEnterTimestampMonotonic tributary.socket; }
      before=$(opened)
      systemctl restart tributary || fail 'it does not restart'
      until_true 20 curl -sf http://127.0.0.1:9469/livez
      [ "$(opened)" = "$before" ] || fail 'a restart closes the page for no reason'
      tributary config set status.listen 0.0.0.0:9470 || fail 'it is not set'
      tributary restart || fail 'it does not restart'
      until_true 20 on internet curl -sf http://192.168.77.10:9470/livez
      curl -s -m 4 http://127.0.0.1:9469/livez && fail 'the page is still where it was'
      as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups tributary "$@"; }
      as_nobody status | grep -q '^Tributary is' || fail 'only root reads the status'
      as_nobody pause && fail 'anybody pauses it'
      # Of an address that the host gets later, as from a router.
      tributary config set status.listen 192.168.77.99:9469 || fail 'it is not set'
      systemctl stop tributary; systemctl start tributary || fail 'it does not start'
      ip address add 192.168.77.99/24 dev eth0
      until_true 20 on internet curl -sf http://192.168.77.99:9469/livez
      tributary config set status.listen 127.0.0.1:0 || fail 'it is not set'
      systemctl restart tributary || fail 'it does not restart'
      is_inactive tributary.socket || fail 'it listens still'
      curl -s -m 4 http://127.0.0.1:9469/livez && fail 'there is a page'
      tributary status >/dev/null || fail 'the agent does not answer'
      as_nobody status 2>&1 | grep -q 'sudo tributary status' || fail 'without a page, a user is not told to be root'
      systemctl --failed --no-legend | grep tributary && fail 'a unit has failed'
      tributary config unset status.listen || fail 'it is not unset'
      systemctl restart tributary || fail 'it does not restart'
      until_true 20 curl -sf http://127.0.0.1:9469/livez
      [ ! -e /run/systemd/system/tributary.socket.d/tributary-listen.conf ] || fail 'a file is left'
    `);
  });

  it('costs consumers seconds when it is killed or hangs, with the times of the unit as it is', async () => {
    // What test/unit/agent/systemd.test.ts grants a start, and RestartSec.
    const mostSeconds = 6;
    const text = await run(`
      connect_host
      sed -i 's/, permit_seconds: 20//' /etc/tributary/tributary.yaml
      systemctl restart tributary || fail 'it does not start anew'
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      rm -f gaps; on internet $node -e '${answerAll}' &
      on consumer $node -e '${converse}' >>gaps &
      until_true 20 grep -q talks gaps
      has_restarted() { [ "$(systemctl show --value -p NRestarts tributary)" -gt "$restarts" ]; }
      for signal in KILL STOP; do
        restarts=$(systemctl show --value -p NRestarts tributary)
        kill -$signal $(systemctl show --value -p MainPID tributary)
        until_true 60 has_restarted
        until_true 40 is_phase providing
        until_true 20 is_reached 192.0.2.10
        # The next word of the consumer's closes the gap.
        sleep 2
        echo $signal >>gaps
      done
      cat gaps
    `);
    const [, killed, hung] = /talks\n(.*)KILL\n(.*)STOP\n$/s.exec(text) ?? [];
    for (const gaps of [killed, hung]) {
      const seconds = Math.max(...(gaps ?? '').split('\n').map(Number));
      expect(seconds, text).toBeGreaterThan(0);
      expect(seconds, text).toBeLessThan(mostSeconds);
    }
  });

  it('goes through tables that Docker, ufw and an owner closed, and follows what is loaded anew', async () => {
    await run(`
      connect_host
      systemctl stop tributary
      until_true 10 is_inactive tributary-netns
      iptables -P FORWARD DROP; iptables -N DOCKER-USER; iptables -A FORWARD -j DOCKER-USER
      nft 'table inet mine { chain forward { type filter hook forward priority 10; policy drop; ct state established accept; }; }'
      snapshot >before
      systemctl start tributary || fail 'it did not start'
      until_true 40 is_phase providing
      until_true 20 is_reached 192.0.2.10
      # The check would mend it while it is looked at.
      systemctl stop tributary-netns-watch
      iptables -F DOCKER-USER; nft flush chain inet mine forward
      is_refused 192.0.2.10 || fail 'the tables let everything through'
      systemctl start tributary-netns-watch
      until_true 40 is_reached 192.0.2.10
      # Without one of its monitors it would hear half of what happens.
      for pid in $(cat /sys/fs/cgroup/system.slice/tributary-netns-watch.service/cgroup.procs); do
        ! grep -qx nft /proc/$pid/comm || kill $pid
      done
      until_true 20 sh -c '[ "$(systemctl show --value -p NRestarts tributary-netns-watch)" = 1 ]'
      until_true 10 systemctl is-active tributary-netns-watch
      nft flush ruleset
      until_true 40 sh -c 'nft list table inet tributary_host'
      nft delete table inet tributary_host
      iptables -P FORWARD DROP; iptables -N DOCKER-USER; iptables -A FORWARD -j DOCKER-USER
      nft 'table inet mine { chain forward { type filter hook forward priority 10; policy drop; ct state established accept; }; }'
      until_true 40 is_reached 192.0.2.10
      # The check would mend this, too, before a consumer had tried.
      systemctl stop tributary-netns-watch
      forget_forwarding
      is_refused 192.0.2.10 || fail 'the host forwards still'
      systemctl start tributary-netns-watch
      until_true 40 is_reached 192.0.2.10
      forget_forwarding
      until_true 40 grep -qx 1 /proc/sys/net/ipv4/conf/eth0/forwarding
      until_true 40 is_reached 192.0.2.10
      nft list table inet tributary_host | grep -q '192.0.2.0/24, 198' || fail 'what the owner allows is not in the fence'
      tributary config set gateway.allow_destinations '[198.51.100.0/24]'
      until_true 40 sh -c "! nft list table inet tributary_host | grep -q '192.0.2.0/24, 198'"
      until_true 40 cmp -s /run/tributary-netns/looked /run/tributary-netns/seen
      touch -d '11 minutes ago' /run/tributary-netns/seen
      systemctl restart tributary-netns-watch
      until_true 40 sh -c 'find /run/tributary-netns/seen -mmin -5 | grep -q .'
      systemctl stop tributary
      until_true 10 is_inactive tributary-netns
      snapshot >after
      diff before after || fail 'the host is not as it was'
    `);
  });
});

/** What the page says of an exposure, however its lines are broken. */
function readExposure(before: string, after: string): string {
  const page = (pages['docs/install-debian.md'] ?? '').replaceAll(/\s+/g, ' ');
  const [, beside = ''] = page.split(before);
  const said = /^ (\d\.\d) (.*)/.exec(beside);
  if (said?.[1] === undefined || !said[2]?.startsWith(after))
    throw new Error(`docs/install-debian.md does not say "${before} … ${after}"`);
  return said[1];
}

const words = `
forget_forwarding() { sysctl -qw net.ipv4.ip_forward=1; sysctl -qw net.ipv4.ip_forward=0; }
show_rights() { sed -n "s/^$1:\\t//p" /proc/$(systemctl show --value -p MainPID tributary)/status; }
`;
