import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, splitCommands } from '../pages.ts';
import { copyProject, makeNpmCache } from './support/clone.ts';
import { createMachine, type Machine } from './support/machine.ts';
import { buildProgram, copyWorld } from './support/program.ts';

/*
 * A clone of this repository on a machine with systemd, in the README's own words. The machine has
 * no way out: the system packages are there before they are asked for, and npm takes its packages
 * from a cache.
 */
let machine: Machine;
let build: string;

/** What `npm run bench` needs besides. */
const measuring = ['ethtool', 'iperf3', 'jq'];

const fromAClone = readBlocks('sh', 'docs/from-source.md');
const [
  packages,
  program,
  command,
  configuration,
  login,
  loginWithoutAsking,
  run,
  status,
  cleanup,
  withoutRoot,
] = fromAClone;
const [demo = ''] = splitCommands(readBlocks('sh', 'README.md')[0] ?? '');
const modes = splitCommands(readBlocks('sh', 'docs/modes-and-limits.md')[0] ?? '');
const [configCommands, reload] = readBlocks('sh', 'docs/configuration.md');
const [metrics] = readBlocks('sh', 'docs/status-page.md');
const [sandbox, requests] = readBlocks('sh', 'docs/development/sandbox.md');

beforeAll(async () => {
  // Each block is run below; one more would not be.
  expect(fromAClone).toHaveLength(10);
  build = await buildProgram();
  machine = await createMachine({
    suite: 'bookworm',
    packages: ['git', 'npm', 'passt', 'sudo', ...measuring],
  });
  // Nobody answers there, so names that are not known here are not waited for.
  await machine.writeFile('/etc/resolv.conf', '');
  await machine.writeFile('/etc/apt/apt.conf.d/90retries', 'Acquire::Retries "0";\n');
  await machine.writeFile('/usr/local/sbin/ip', ipOfCard, 0o755);
  await machine.writeFile('/usr/bin/editor', '#!/bin/sh\necho "# edited" >>"$1"\n', 0o755);
  await copyProject(machine, '/srv/repository');
  await machine.copyIn(await makeNpmCache(), '/srv/npm');
  await copyWorld(machine, build);
});

afterAll(async () => {
  await machine?.remove();
  await rm(build, { recursive: true, force: true });
});

/**
 * Runs it in the machine, with the world's words at hand; what it said is the message where it
 * fails.
 */
async function boot(script: string, limitMs = 400_000): Promise<string> {
  const { exitCode, text } = await machine.boot(`set -u\n${words}\n${script}`, limitMs);
  expect(exitCode, text).toBe(0);
  return text;
}

/** As the owner types it: an ordinary user who may use sudo. */
function asOwner(text = ''): string {
  return `runuser -l owner -c ${quote(`set -eu\n${text.trim()}`)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Runs a script as the owner at a terminal; `text` is typed when a code is asked for. */
const atTerminal = (text: string | undefined) => `at_terminal ${quote(asOwner(text))}`;
const runOnHost = asOwner(`exec ${run?.trim()}`);

describe('a clone', () => {
  it('shows what it does by the first command typed', async () => {
    const text = await boot(`
      useradd --create-home --shell /bin/bash owner
      echo 'owner ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/owner
      printf 'cache=/srv/npm\\noffline=true\\nupdate-notifier=false\\n' | tee ~root/.npmrc >~owner/.npmrc
      chown -R owner: /srv/npm
      echo "127.0.1.1 $(hostname)" >>/etc/hosts
      git config --system safe.directory '*'
      cd /srv/repository
      git init --quiet && git add . && git -c user.name=owner -c user.email=owner@example.org commit --quiet --message all
      ${asOwner(`git clone --quiet /srv/repository; cd repository; ${demo}`)} || fail 'the demonstration failed'
    `);
    expect(text.trim()).toMatch(/All as promised\.\n\nNext: .*docs\/getting-started\.md$/);
  });

  it.each(['npm run demo -- --profile production', 'npm run demo -- --json'])(
    'shows it by %s, too',
    async (line) => {
      const text = await boot(
        `${asOwner(`cd repository; ${line}`)} || fail 'the demonstration failed'`,
      );
      expect(text).toContain(
        line.includes('--json') ? '"modeNone":"refused"' : '(profile production)',
      );
    },
  );

  it('keeps what it shows until Ctrl-C, for looking around', async () => {
    await boot(`
      ${asOwner('cd repository; npm run demo -- --keep')} >/tmp/run.log 2>&1 &
      until_true 120 grep -q 'It stays until Ctrl-C' /tmp/run.log
      pkill -INT -f demo.cjs
      wait $!; [ $? = 130 ] || fail 'it does not end as whatever Ctrl-C ends'
    `);
  });

  it('becomes the command that the README makes of it', async () => {
    await boot(`
      ${asOwner(packages)} || fail 'the packages are not installed'
      ${asOwner(program?.replace('ADDRESS-OF-THIS-REPOSITORY', '/srv/repository'))} || fail 'the program is not built'
      ${asOwner(command)} || fail 'there is no command'
      ${asOwner('cd /opt/tributary; node_modules/.bin/node dist/tributary.cjs --version')} || fail 'it has no Node'
      ${asOwner(configuration)} || fail 'the configuration is not taken'
      config_set() { tributary config set "$@" || fail "$1 is not set"; }
      config_set service.allow_insecure_http true
      config_set service.base_url $service
      config_set gateway.allow_destinations '[192.0.2.0/24, 198.51.100.0/24]'
      # The world's router does not tell its public address, which would be a warning.
      config_set gateway.public_address.fixed 203.0.113.7
    `);
  });

  it('signs in by every line, provides, and does what it is told', async () => {
    await boot(`
      make_world; connect_card
      auth_code | ${atTerminal(login)} || fail 'the login failed'
      for_each_code() { new_code >~owner/code.txt; "$@" || fail 'the login failed'; }
      ${splitCommands(loginWithoutAsking ?? '')
        .map((line) => `for_each_code ${asOwner(line)}`)
        .join('\n')}
      ${runOnHost} >/tmp/run.log 2>&1 &
      until_true 60 is_phase providing
      ${asOwner(status)} | grep -q 'is providing' || fail 'status does not say so'
      until_true 20 is_reached 192.0.2.10
      is_refused 192.168.77.1 || fail 'the home network was reached'
      ${asOwner(modes[0])} | grep -q '^Mode: friends' || fail 'it does not say which mode holds'
      ${asOwner(modes[1])} || fail 'the mode is not set'
      until_true 20 is_phase idle
      is_refused 192.0.2.10 || fail 'it forwards in mode none'
      ${asOwner(modes[2])} && until_true 20 is_phase providing
      ${asOwner(modes[3])} || fail 'the mode is not taken back'
      ${asOwner(configCommands)} || fail 'a command of the configuration failed'
      grep -q '^# edited$' /etc/tributary/tributary.yaml || fail 'what was edited is not there'
      ${asOwner(reload)} || fail 'it does not read its configuration anew'
      [ $(${asOwner(metrics)} | grep -c '^tributary_phase.*providing.* 1') = 2 ] || fail 'the metrics do not say it twice'
      for line in ${atHand.map((line) => quote(asOwner(line))).join(' ')}; do
        sh -c "$line" >/tmp/line.log 2>&1 || fail "$line: $(cat /tmp/line.log)"
      done
      tar -tzf ~owner/help.tar.gz | grep -q status || fail 'the bundle is empty'
    `);
  });

  it('leaves nothing behind when it is stopped, and nothing after kill -9 and cleanup', async () => {
    await boot(`
      make_world; connect_card
      # An empty folder in /run is nothing that is left.
      mkdir -p /run/tributary; snapshot >before
      ${runOnHost} >/tmp/run.log 2>&1 &
      until_true 60 is_phase providing
      pkill -INT -f 'tributary.cjs run'; wait $! || fail 'Ctrl-C is no good end'
      snapshot >after; diff before after || fail 'after Ctrl-C the host is not as it was'
      ${runOnHost} >/tmp/run.log 2>&1 &
      until_true 60 is_phase providing
      pkill -KILL -f 'tributary.cjs run'; wait $!
      snapshot >after; diff before after >/dev/null && fail 'nothing is left that could be removed'
      new_code | ${asOwner('sudo tributary login --new-device')} || fail 'it cannot be another client'
      for time in first second; do
        ${asOwner(cleanup)} || fail "it does not clean up the $time time"
        snapshot >after; diff before after || fail "after cleanup the host is not as it was, the $time time"
      done
    `);
  });

  it('runs without root', async () => {
    const lines = splitCommands(withoutRoot ?? '');
    await boot(`
      make_world; connect_card
      install -o owner /etc/tributary/tributary.yaml ~owner/tributary.yaml
      new_code | ${atTerminal(lines[0])} || fail 'the login failed'
      ${asOwner(`exec ${lines[1]}`)} >/tmp/run.log 2>&1 &
      until_true 60 sh -c ${quote(`${asOwner(lines[2])} | grep 'is providing'`)}
      until_true 20 is_reached 192.0.2.10
      is_refused 192.168.77.1 || fail 'the home network was reached'
    `);
  });

  it('serves as a service to try requests on', async () => {
    const text = await boot(`
      ${asOwner(`exec ${sandbox}`)} >/tmp/sandbox.log &
      until_true 30 grep -q 'Ctrl-C stops it' /tmp/sandbox.log
      ${asOwner(requests?.replace(/^CODE=.*/m, "CODE=$(sed -n 's/^Auth code *\\([^ ]*\\).*/\\1/p' /tmp/sandbox.log)"))}
    `);
    expect(text).toMatch(/"by_client_jwt":"eyJ.*"description":"kitchen"/s);
  });

  it('measures itself', async () => {
    // Of the rows about the household, which take a quarter of an hour, the shortest.
    const few = (line: string) => (line.endsWith(' household') ? ' --only limit-20' : '');
    const once = splitCommands(readBlocks('sh', 'docs/development/measurements.md').join('')).map(
      (line) => `${line}${line.includes(' -- ') ? '' : ' --'}${few(line)} --rounds 1`,
    );
    await boot(
      `${asOwner(['cd repository', ...once].join('\n'))} || fail 'a measurement failed'`,
      800_000,
    );
  });
});

/** What the README names in passing, of an agent that runs. */
const atHand = [
  'sudo tributary doctor',
  'sudo tributary doctor --bundle help.tar.gz',
  'sudo tributary health',
  'sudo tributary status --json',
  'sudo timeout 3 tributary status --watch || [ $? = 124 ]',
  'sudo tributary stats --local',
  'sudo tributary stats',
  'sudo tributary device list',
  'openssl rand -hex 16',
];

const words = `
node=/srv/world/node dist=/srv/world/dist
. /srv/world/world.sh
fail() { echo "FAILED: $*"; tail -n 20 /tmp/run.log /tmp/shown; exit 1; }
# The host's wire, which is a veth here, as a network card: it tells the agent that this is the host.
connect_card() {
  connect_host
  address=$(cat /sys/class/net/eth0/address)
  mount -t tmpfs tmpfs /sys/class/net && mkdir -p /sys/class/net/eth0/device && echo $address >/sys/class/net/eth0/address
}
`;

/** `ip`, which does not say of the host's wire that it is a veth. */
const ipOfCard = `#!/bin/bash
[ "$1" = -j ] || exec /usr/sbin/ip "$@"
set -o pipefail
/usr/sbin/ip "$@" | sed 's/\\("ifname":"eth0"[^{}]*\\)"linkinfo":{"info_kind":"veth"},/\\1/'
`;
