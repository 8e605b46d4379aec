import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBlocks, splitCommands } from '../pages.ts';
import { createMachine, type Machine } from './support/machine.ts';
import { type PreparedPackages, preparePackagesAndWorld } from './support/packages.ts';

/*
 * From a package repository to a device that shares: signed, installed by apt, set up in a dialogue
 * and in one line, upgraded.
 */
const root = join(import.meta.dirname, '../..');
const toLines = (text = '') =>
  splitCommands(text).map((line) =>
    line
      .replace(/^sudo /, '')
      .replace('ADDRESS', '$address')
      .replace('https://service.example', '"$service"'),
  );
const [repositoryLines = []] = readBlocks('sh', 'docs/development/releasing.md').map((text) =>
  toLines(text),
);
const [firstLines = [], [scriptLine = ''] = [], everydayLines = []] = readBlocks(
  'sh',
  'docs/getting-started.md',
).map((text) => toLines(text));
let machine: Machine;
let packages: PreparedPackages;

beforeAll(async () => {
  expect([repositoryLines.length, firstLines.length, everydayLines.length]).toEqual([4, 2, 5]);
  packages = await preparePackagesAndWorld('1.0.0', '1.0.1');
  machine = await createMachine({ suite: 'trixie', packages: ['apt-utils', 'gpg', 'gpg-agent'] });
  await packages.putInto(machine);
  await machine.copyIn(join(root, '.github/apt-repository.sh'), '/srv/apt-repository.sh');
});

afterAll(async () => {
  await machine?.remove();
  await packages?.remove();
});

it('apt installs what is signed and nothing else, setup makes it share, and an upgrade comes by apt', async () => {
  const { exitCode, text } = await machine.boot(
    `
    set -u
    ${words}
    make_world; connect_host; serve_repository
    make_repository maintainer 1.0.0
    ${repositoryLines.slice(0, 3).join(' >/dev/null || fail "no update"\n')} >/dev/null 2>apt.log || fail "no update: $(cat apt.log)"
    # What is signed by anybody else, or changed after it was signed, is refused, and nothing is taken from it.
    make_repository stranger 1.0.0
    ! is_updated || fail 'a strange signature is taken'
    grep -qi signature apt.log || fail "it is refused for something else: $(cat apt.log)"
    make_repository maintainer 1.0.0
    sed -i 's/^Architectures: .*/Architectures: amd64 arm64 i386/' /srv/repository/dists/stable/InRelease
    ! is_updated || fail 'a changed list is taken'
    make_repository maintainer 1.0.0
    is_updated || fail "no update: $(cat apt.log)"
    for deb in /srv/repository/pool/*.deb; do printf x >>$deb; done
    rm -f /var/cache/apt/archives/*.deb
    ! { ${repositoryLines[3]}; } >apt.log 2>&1 || fail 'a changed package is taken'
    make_repository maintainer 1.0.0
    is_updated && { ${repositoryLines[3]}; } >apt.log 2>&1 || fail "it is not installed: $(cat apt.log)"
    [ "$(tributary --version)" = 1.0.0 ] || fail 'it is of another version'

    # In a dialogue.
    fit_to_world
    dialogue "${firstLines[1]}" >shown.log 2>&1 || fail "setup failed: $(cat shown.log)"
    grep -q 'Tributary is providing' shown.log || fail "setup does not end with the status: $(cat shown.log)"
    grep -q 'Page .*http://127.0.0.1:9469' shown.log || fail "setup does not name the page: $(cat shown.log)"
    systemctl --quiet is-enabled tributary || fail 'it does not start at boot'
    is_phase providing || fail 'it does not provide'
    until_true 20 is_reached 192.0.2.10
    tributary config show | grep -q 'mode *friends' || fail 'it does not share with friends'
    curl -sf http://127.0.0.1:9469/readyz >/dev/null || fail 'the page is not there'
    first=$(client_id)

    # The everyday lines.
    ${everydayLines.map((line) => `{ ${line}; } >said.log 2>&1 || ended=$? fail_unless_found`).join('\n    ')}
    is_phase providing || fail 'after the everyday lines it does not provide'

    # In one line, over what is there: the same device, and everything else stays.
    new_code >code.txt
    sed -i 's/^provide:/# mine\\nprovide:/' /etc/tributary/tributary.yaml
    ${scriptLine.replace('friends', 'public')} --json >setup.json 2>setup.log || fail "the line failed: $(cat setup.log)"
    grep -q '"phase":"providing"' setup.json || fail "it says something else: $(cat setup.json)"
    grep -q '# mine' /etc/tributary/tributary.yaml && tributary config show | grep -q '20 Mbit' || fail 'something is gone'
    [ "$(client_id)" = "$first" ] || fail 'it is another device'
    ! journalctl -u tributary | grep -qF "$(cat code.txt)" || fail 'the code is in the journal'

    # An upgrade.
    make_repository maintainer 1.0.0 1.0.1
    is_updated && DEBIAN_FRONTEND=noninteractive apt-get upgrade -y >apt.log 2>&1 || fail "no upgrade: $(cat apt.log)"
    [ "$(tributary --version)" = 1.0.1 ] || fail 'it is of the old version'
    until_true 60 is_phase providing
    [ "$(client_id)" = "$first" ] || fail 'after the upgrade it is another device'
    `,
    400_000,
  );
  expect(exitCode, text).toBe(0);
});

/** What the script says besides the words of the world. */
const words = `
export HOME=/root
node=/srv/world/node dist=/srv/world/dist
. /srv/world/world.sh
address=http://127.0.0.1:8900
mkdir -p /etc/apt/keyrings
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*
# make_repository KEY VERSION…: signed by that key, which is made where there is none.
make_repository() {
  key=$1@example.org; shift
  gpg --batch --quiet --list-secret-keys $key >/dev/null 2>&1 ||
    gpg --batch --quiet --passphrase '' --quick-generate-key "<$key>" ed25519 sign never || fail 'no key'
  rm -rf /srv/repository
  sh /srv/apt-repository.sh /srv/repository $key $address $(for version; do echo /srv/packages/tributary_$version-1_*.deb; done) ||
    fail 'no repository'
}
# Any source that is refused is an error then, not just a warning beside the list of before.
is_updated() { apt-get -o APT::Update::Error-Mode=any update >apt.log 2>&1; }
serve_repository() {
  $node -e 'require("http").createServer((request, answer) => require("fs").readFile("/srv/repository" + request.url,
    (error, data) => answer.writeHead(error ? 404 : 200).end(data))).listen(8900, "127.0.0.1")' &
}
# The world has no TLS, and an Internet of documentation addresses.
fit_to_world() {
  tributary config set service.allow_insecure_http true
  tributary config set gateway.allow_destinations '[192.0.2.0/24, 198.51.100.0/24]'
}
# dialogue COMMAND: types an answer to each question, once it is asked.
dialogue() {
  : >/tmp/shown; rm -f /tmp/ended
  { answer 'Address of the service' "$(printf '\\025%s' "$service")"; answer 'Which profile' ''; answer 'Who may use' ''
    answer 'Monthly data cap' '500 GB'; answer 'Open the page at home' ''
    answer 'Auth code' "$(auth_code)"; until_true 120 test -s /tmp/ended; } |
    script --quiet --flush --return --command "stty cols 160 rows 40; $1; echo \\$? >/tmp/ended; kill -9 \\$PPID" /tmp/shown
  cat /tmp/shown
  return "$(cat /tmp/ended)"
}
answer() {
  until_true 60 grep -q "$1" /tmp/shown
  printf '%s\\r' "$2"
}
# What the doctor finds in this world beside the fault that is looked for is its own business: it has to look.
fail_unless_found() { grep -q 'PASS' said.log || fail "a line of the page failed: $(cat said.log)"; }
`;
