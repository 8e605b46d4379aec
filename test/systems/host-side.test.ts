import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './support/machine.ts';
import { buildProgram, installProgram } from './support/program.ts';

/*
 * What the host does for an agent that has no right over it: it forgets consumers' connections, and
 * gives the namespace a name server that answers there.
 */
describe.each(['bookworm', 'trixie'] as const)('on %s, the host', (suite) => {
  let machine: Machine;
  let build: string;

  beforeAll(async () => {
    build = await buildProgram();
    machine = await createMachine({ suite, packages: ['dnsmasq-base'] });
    await installProgram(machine, build);
  });

  afterAll(async () => {
    await machine?.remove();
    await rm(build, { recursive: true, force: true });
  });

  const run = async (script: string) => {
    const { exitCode, text } = await machine.boot(
      `set -u\n. ./world.sh\n${words}\nmake_world\nwrite_config\nconnect_host\n${script}`,
      360_000,
    );
    expect(exitCode, text).toBe(0);
    return text;
  };

  it('forgets consumers’ connections as soon as nothing is shared, and no others', async () => {
    await run(`
      systemctl start tributary || fail 'it did not start'
      until_true 20 is_phase signed-out
      auth_code | tributary login || fail 'the login failed'
      tributary config set provide.rate_limit.line '10 Mbit' && systemctl reload tributary
      until_true 60 is_phase providing
      # Entries do not go by themselves while nobody hears what the agent asks for.
      systemctl stop tributary-netns-forget.path
      consume
      tributary pause || fail 'it does not pause'
      until_true 20 is_phase idle
      sleep 3; has_entries || fail 'the entries went by themselves'
      systemctl start tributary-netns-forget.path
      tributary resume || fail 'it does not resume'
      until_true 60 is_phase providing
      tributary provide none || fail 'it takes no mode'
      until_true 20 is_phase idle
      until_true 10 has_no_entries
      keeps_others || fail "others' connections went, too"
      tributary resume || fail 'it does not resume'
      # A service is told a wider mode once a minute.
      until_true 90 is_reached 192.0.2.10
      consume
      tributary config set provide.cap.bytes '1 MB' && systemctl reload tributary || fail 'it takes no cap'
      until_true 30 is_phase paused
      tributary status | grep -i cap || fail 'it pauses for another reason'
      until_true 10 has_no_entries
      keeps_others || fail "others' connections went, too"
      systemctl is-failed tributary-netns-forget.service && fail 'the unit that forgets has failed'
      journalctl --boot --unit tributary-netns-forget --output cat | grep '192\\.0\\.2' && fail 'the journal says where consumers went'
      systemctl stop tributary || fail 'it does not stop'
      until_true 10 is_inactive tributary-netns-forget.path
    `);
  });

  it('that asks its own name server alone gives it to the namespace where it listens there', async () => {
    await run(`
      echo 'nameserver 127.0.0.1' >/etc/resolv.conf
      resolve --local-service
      ask_by_name
      systemctl start tributary || fail 'it did not start'
      until_true 60 is_phase providing
      grep '^nameserver 198\\.1[89]\\.' /etc/netns/tributary/resolv.conf || fail "another server: $(cat /etc/netns/tributary/resolv.conf)"
      ip netns exec tributary getent ahosts service.test || fail 'the name is not resolved inside'
      tributary doctor >doctor.log; grep -q 'service.test is 198.51.100.2' doctor.log || fail "the doctor says: $(cat doctor.log)"
      systemctl stop tributary; until_true 10 is_inactive tributary-netns
    `);
  });

  it.each([
    [
      'at loopback alone',
      '--listen-address=127.0.0.1 --bind-interfaces',
      {
        up: 'has no name server',
        status: 'no name server can be reached',
        doctor: 'no name server',
      },
    ],
    [
      'to one interface alone',
      '--interface=eth0',
      { up: 'is up', status: 'service.test', doctor: 'none in the agent' },
    ],
  ])(
    'whose own name server answers %s says so: namespace up, status and doctor',
    async (_where, how, { up, status, doctor }) => {
      await run(`
      echo 'nameserver 127.0.0.1' >/etc/resolv.conf
      resolve ${how}
      ask_by_name
      # What is remembered of the service would do without a name server.
      rm -rf /var/lib/private/tributary/*
      systemctl start tributary || fail 'it did not start'
      systemctl stop tributary-netns-watch
      tributary namespace up >up.log 2>&1; grep -q '${up}' up.log || fail "namespace up says: $(cat up.log)"
      new_code | tributary login || fail 'the login failed'
      says_so() { tributary status | grep -q '${status}'; }
      until_true 90 says_so
      tributary doctor >doctor.log; grep -q '${doctor}' doctor.log || fail "the doctor says: $(cat doctor.log)"
      cat up.log doctor.log /etc/netns/tributary/resolv.conf; tributary status
    `).then((text) => process.stdout.write(text));
    },
  );
});

const words = `
marked="-f ipv4 -s 198.18.0.0/15 -m 0x54000000/0x54000000"
has_entries() { conntrack -L $marked 2>/dev/null | grep -q .; }
has_no_entries() { ! has_entries; }
# The agent's own tunnel, and a connection of the host's.
keeps_others() {
  conntrack -L -f ipv4 -p udp -s 198.18.0.0/15 -m 0/0x54000000 2>/dev/null | grep -q dst=198.51.100.2 &&
    conntrack -L -f ipv4 -p tcp -s 192.168.77.10 2>/dev/null | grep -q 'dst=192.0.2.10 .*dport=80'
}
# A consumer with a connection that lasts, and the host's own.
consume() {
  until_true 30 is_reached 192.0.2.10
  curl -so /dev/null --limit-rate 1k http://192.0.2.10:80/bytes/100000000 &
  on consumer $node $dist/worker.cjs download http://192.0.2.10:80/bytes/900000000 100 >download.log 2>&1 &
  until_true 20 grep -q '"progress":[1-9]' download.log
  until_true 10 has_entries
}
resolve() {
  dnsmasq --no-resolv --no-hosts --user=root --pid-file=/run/dnsmasq.pid --address=/service.test/198.51.100.2 "$@" || fail 'no resolver'
  until_true 10 getent ahosts service.test
}
ask_by_name() { sed -i 's/198.51.100.2:8080/service.test:8080/' /etc/tributary/tributary.yaml; }
`;
