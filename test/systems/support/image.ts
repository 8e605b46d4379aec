import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';
import { isThere } from '../../../src/system/files.ts';
import type { Stage } from './stage.ts';

const root = join(import.meta.dirname, '../../..');
const cache = join(
  process.env.XDG_CACHE_HOME ?? join(root, 'node_modules/.cache'),
  'tributary-images',
);

/** argv of the image tools with a store of this run's own. */
export interface ImageTools {
  readonly podman: readonly string[];
  readonly buildah: readonly string[];
  /** What podman reads its settings from. */
  readonly env: Readonly<Record<string, string>>;
}

/** Settings that do without systemd. */
export async function prepareImageTools(directory: string): Promise<ImageTools> {
  const settings = join(directory, 'containers.conf');
  await writeFile(
    settings,
    '[network]\nnetwork_backend = "netavark"\n[engine]\ncgroup_manager = "cgroupfs"\n',
  );
  const store = [
    '--root',
    join(directory, 'store'),
    '--runroot',
    '/run/store',
    '--storage-driver',
    'overlay',
  ];
  return {
    podman: ['podman', ...store],
    buildah: ['buildah', ...store],
    env: { CONTAINERS_CONF: settings },
  };
}

/**
 * Builds the project's Dockerfile. What it builds on is made here under the very names that it asks
 * for, because no registry of images has to be reachable: Debian by mmdebstrap, and on it the Node
 * of the packages with npm.
 */
export async function buildImage(stage: Stage, tools: ImageTools, context = root): Promise<void> {
  const debian = await makeSlimDebian();
  const node = await makeNodeContext();
  const build = [...tools.buildah, ...buildOptions];
  await stage.run([...tools.podman, 'import', '--quiet', debian, debianName]);
  await stage.run([...build, '--tag', nodeName, node]);
  await stage.run([...build, '--tag', 'tributary', context]);
}

const buildOptions = [
  ...['build', '--quiet', '--isolation', 'chroot'],
  ...['--pull=never', '--format', 'docker'],
] as const;

/** Of Home Assistant's add-on. */
export const addOnFolder = join(root, 'config/home-assistant/tributary');

/** Builds the add-on in this folder as `add-on`, as its page says: with the image in its place. */
export async function buildAddOn(stage: Stage, tools: ImageTools, folder: string): Promise<void> {
  await cp(addOnFolder, folder, { recursive: true });
  const path = join(folder, 'Dockerfile');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('ghcr.io/OWNER/tributary:VERSION', 'localhost/tributary'));
  await stage.run([...tools.buildah, ...buildOptions, '--tag', 'add-on', folder]);
}

/** What the images of the project are built on. */
export const debianName = 'docker.io/library/debian:trixie-slim';
export const nodeName = 'docker.io/library/node:24-trixie-slim';
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/**
 * A tar of Debian without manuals, as the slim image is, made once. With packages it already has
 * those, and no place to fetch others from.
 */
export async function makeSlimDebian(packages: readonly string[] = []): Promise<string> {
  const included = ['ca-certificates', ...packages].sort().join();
  const key = createHash('sha256').update(included).digest('hex').slice(0, 8);
  const path = join(cache, `debian-trixie-slim-${key}.tar`);
  if (await isThere(path)) return path;
  await mkdir(cache, { recursive: true });
  const unfinished = `${path}.${process.pid}.tar`;
  const left = ['man', 'doc', 'locale', 'info'].map(
    (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
  );
  const hooks = [
    // This machine's authorities: some are behind a gateway that has its own.
    `--customize-hook=copy-in ${certificates} /etc/ssl/certs`,
    '--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*',
    ...(packages.length === 0 ? [] : ['--customize-hook=rm -r "$1"/etc/apt/sources.list*']),
  ];
  const args = [
    '--quiet',
    '--variant=minbase',
    `--include=${included}`,
    ...left,
    ...hooks,
    'trixie',
    unfinished,
  ];
  await exec({ program: 'mmdebstrap', args, doing: 'making a slim Debian', timeoutMs: 600_000 });
  await rename(unfinished, path);
  return path;
}

/** The folder from which the substitute for the Node image is built, made once. */
export async function makeNodeContext(): Promise<string> {
  const directory = join(cache, 'node-24-trixie-slim');
  if (await isThere(directory)) return directory;
  const unfinished = `${directory}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(join(unfinished, 'npm'), { recursive: true });
  await copyFile(process.execPath, join(unfinished, 'node'));
  const pack = ['pack', '--silent', '--pack-destination', unfinished, 'npm@11'];
  const archive = (
    await exec({ program: 'npm', args: pack, doing: 'fetching npm', timeoutMs: 120_000 })
  ).trim();
  const unpack = [
    '-xzf',
    join(unfinished, archive),
    '-C',
    join(unfinished, 'npm'),
    '--strip-components=1',
  ];
  await exec({ program: 'tar', args: unpack, doing: 'unpacking npm' });
  await writeFile(join(unfinished, 'Dockerfile'), nodeDockerfile);
  await rename(unfinished, directory);
  return directory;
}

const nodeDockerfile = `FROM ${debianName}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \\
 && chmod 755 /usr/local/lib/node_modules/npm/bin/*.js
ENV NODE_EXTRA_CA_CERTS=${certificates}
`;
