import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBlocks, readCommentBlock, splitCommands } from '../pages.ts';
import { createDockerHost, loadImages } from './support/docker-host.ts';
import type { Machine } from './support/machine.ts';
import { buildProgram, copyWorld } from './support/program.ts';

/*
 * The container's commands, word for word, on a host with Docker's own engine and compose plugin.
 */
let machine: Machine;
let build: string;

/** With the compose file of a release alone, and in a clone. */
const [pastedLines = [], cloneLines = []] = readBlocks('sh', 'docs/install-docker.md').map(
  splitCommands,
);
const composeLines = splitCommands(readCommentBlock('config/compose.yaml'));
const dockerfileLines = splitCommands(readCommentBlock('Dockerfile'));
/**
 * The world has no TLS and an Internet of documentation addresses: not the README's words, so they
 * are put in beside them.
 */
const ofTheWorld = {
  TRIBUTARY_SERVICE_ALLOW_INSECURE_HTTP: '"true"',
  TRIBUTARY_GATEWAY_ALLOW_DESTINATIONS: '192.0.2.0/24,198.51.100.0/24',
};
const inCompose = Object.entries(ofTheWorld).map(([name, value]) => `      ${name}: ${value}`);
const inRun = Object.entries(ofTheWorld).map(([name, value]) => `--env ${name}=${value}`);

beforeAll(async () => {
  build = await buildProgram();
  machine = await createDockerHost();
  await copyWorld(machine, build);
});

afterAll(async () => {
  await machine?.remove();
  await rm(build, { recursive: true, force: true });
});

it("a container provides from a clone, from a release's compose file alone and by docker run, and stays who it is", async () => {
  const [name, up = '', login] = cloneLines;
  const [nameForPasted, upPasted, loginAfterPasted, status] = pastedLines;
  const [image, run, loginAfterRun] = dockerfileLines;
  expect([pastedLines.length, nameForPasted, loginAfterPasted]).toEqual([
    4,
    name?.replace('config/.env', '.env'),
    login,
  ]);
  expect(composeLines).toEqual([
    ...cloneLines,
    'export TRIBUTARY_AUTH_CODE_FILE="$HOME/private/code"',
  ]);
  expect([dockerfileLines.length, loginAfterRun]).toEqual([3, login]);
  const { exitCode, text } = await machine.boot(
    `
    set -u
    ${words}
    ${loadImages}
    make_world; connect_host; let_in_by_ssh
    $node $dist/worker.cjs serve 0.0.0.0 80 >/dev/null 2>&1 &
    cd /srv/clone
    sed -i 's|^    environment:|&\\n${inCompose.join('\\n')}|' config/compose.yaml
    # One.
    ${inWorld(name)} || fail 'its .env is not written'
    # Two.
    { ${up}; } >up.log 2>&1 || fail "it is not started: $(cat up.log)"
    until_true 60 is_phase signed-out
    # Three.
    auth_code | at_terminal '${login}' || fail 'the login failed'
    until_true 60 is_phase providing
    # Four.
    ${status} | grep -q 'is providing' || fail "status does not say so: $(${status})"
    until_true 20 is_reached 192.0.2.10
    download 3000000 || fail 'a download did not come whole'
    is_home
    bridge=$(docker network inspect --format '{{range .IPAM.Config}}{{.Gateway}}{{end}}' tributary_default)
    [ "$($node $dist/worker.cjs probe $bridge 80)" = reached ] || fail "nobody is there to be reached at $bridge"
    is_refused $bridge || fail 'the host was reached by the bridge of its containers'
    curl -sf http://127.0.0.1:9469/readyz || fail 'the page is not served on the host'
    # From another machine, where nobody sits at this one.
    sleep 600 | on internet ssh -L 9469:127.0.0.1:9469 DEVICE &
    until_true 20 on internet curl -sf http://127.0.0.1:9469/readyz
    client_id >client
    until_true 120 is_healthy

    # The host starts again.
    systemctl restart docker
    until_true 60 is_phase providing
    [ "$(client_id)" = "$(cat client)" ] || fail 'after a restart it is another client'

    # What docker run makes has the same volume, and so is the same.
    ${up.replace(/ up .*/, ' down')} || fail 'it is not taken down'
    ${image} || fail 'the image is not built'
    ${inWorld(run)?.replace(/ tributary$/, ` ${inRun.join(' ')} tributary`)} || fail 'it does not run'
    until_true 60 is_phase providing
    until_true 20 is_reached 192.0.2.10
    [ "$(client_id)" = "$(cat client)" ] || fail 'by docker run it is another client'
    # It is signed in, so it asks whether it should be again.
    new_code | at_terminal '${loginAfterRun} --yes' || fail 'it cannot be signed in once more'

    # A device of its own, signed in by a code in a file.
    docker rm --force tributary && docker volume rm tributary || fail 'it is not removed'
    mkdir -m 700 $HOME/private && new_code >$HOME/private/code
    ${composeLines.at(-1)}
    { ${up}; } >up.log 2>&1 || fail "it is not started: $(cat up.log)"
    until_true 60 is_phase providing
    [ "$(client_id)" != "$(cat client)" ] || fail 'it is the client from before'

    # The compose file of a release in a folder of its own, without the clone and with the image of the release.
    ${up.replace(/ up .*/, ' down --volumes')} || fail 'it is not taken down'
    unset TRIBUTARY_AUTH_CODE_FILE
    docker tag tributary ghcr.io/ada/tributary:1.0.0 && docker image rm tributary || fail 'the image is not renamed'
    sh .github/release-file.sh config/compose.yaml Ada/Tributary 1.0.0 >/srv/compose.yaml || fail 'there is no compose file of a release'
    mkdir /srv/pasted && mv /srv/compose.yaml /srv/pasted && mv /srv/clone /srv/gone && cd /srv/pasted
    ${inWorld(nameForPasted)} || fail 'its .env is not written'
    { ${upPasted}; } >up.log 2>&1 || fail "it is not started: $(cat up.log)"
    until_true 60 is_phase signed-out
    new_code | at_terminal '${loginAfterPasted}' || fail 'it cannot be signed in'
    until_true 60 is_phase providing
    ${status} | grep -q 'is providing' || fail "status does not say so: $(${status})"
    `,
    560_000,
  );
  expect(exitCode, text).toBe(0);
});

function inWorld(line: string | undefined): string | undefined {
  return line?.replace('https://service.example', '$service');
}

/** What the script says besides the words of the world. */
const words = `
export HOME=~
node=/srv/world/node dist=/srv/world/dist
. /srv/world/world.sh
fail() { echo "FAILED: $*"; docker logs --tail 20 tributary; exit 1; }
tributary() { docker exec tributary tributary "$@"; }
is_healthy() { [ "$(docker inspect --format '{{.State.Health.Status}}' tributary)" = healthy ]; }
# Another machine's ssh knows this one by a name and has a key to it.
let_in_by_ssh() {
  systemctl start ssh && ssh-keygen -q -N '' -f ~/.ssh/id_ed25519 && cp ~/.ssh/id_ed25519.pub ~/.ssh/authorized_keys
  printf 'Host DEVICE\\n HostName 192.168.77.10\\n StrictHostKeyChecking no\\n' >~/.ssh/config
}
# The home network is there, and consumers do not get to it.
is_home() {
  for address in 192.168.77.1 192.168.77.10; do
    [ "$(on internet $node $dist/worker.cjs probe $address 80)" = reached ] || fail "nobody is there to be reached at $address"
    is_refused $address || fail "$address at home was reached"
  done
}
`;
