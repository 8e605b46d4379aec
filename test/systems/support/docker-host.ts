import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyProject, makeNpmCache } from './clone.ts';
import { debianName, makeNodeContext, makeSlimDebian, nodeName } from './image.ts';
import { createMachine, type Machine } from './machine.ts';

const root = join(import.meta.dirname, '../../..');
const dockerPackages = [
  'docker.io',
  'docker-cli',
  'docker-buildx',
  'docker-compose',
  'git',
  'openssh-server',
];

/**
 * A machine with Debian's Docker and its compose plugin, the project in /srv/clone and, in
 * /srv/images, what `loadImages` makes the images of that the project's is built on: Debian and
 * Node with everything that the build asks apt and npm for, because the machine has no way out.
 */
export async function createDockerHost(packages: readonly string[] = []): Promise<Machine> {
  const machine = await createMachine({
    suite: 'trixie',
    packages: [...dockerPackages, ...packages],
  });
  await copyProject(machine, '/srv/clone');
  await machine.copyIn(await makeSlimDebian(readImagePackages()), '/srv/images/debian.tar');
  await machine.copyIn(await makeNodeContext(), '/srv/images/node');
  await machine.copyIn(await makeNpmCache(), '/srv/images/npm/cache');
  await machine.writeFile('/srv/images/npm/Dockerfile', npmDockerfile);
  return machine;
}

// An overlay, which the machine's own root is, takes no other one on top.
export const loadImages = `
mount -t tmpfs tmpfs /var/lib/docker && systemctl restart docker || fail 'Docker does not start'
docker import /srv/images/debian.tar ${debianName} && docker build --quiet --tag node /srv/images/node &&
  docker build --quiet --tag ${nodeName} /srv/images/npm || fail 'the images to build on are not made'
`;

const npmDockerfile = `FROM node
COPY cache /npm
ENV npm_config_cache=/npm npm_config_offline=true
`;

/** Debian packages that the Dockerfile installs. */
function readImagePackages(): readonly string[] {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const installs = dockerfile.matchAll(/--no-install-recommends((?:[\s\\]+[a-z][a-z0-9+-]*)+)/g);
  return [...installs].flatMap(([, names = '']) => names.match(/[a-z0-9+-]+/g) ?? []);
}
