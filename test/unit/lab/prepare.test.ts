import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
/** What the scripts need of any system. */
const everyday =
  'sh cat sed sort tr ls find mktemp dirname grep rm touch env tail mkdir ln cp'.split(' ');
const lab = 'nft conntrack wg wireguard-go ip flock iptables ping openssl'.split(' ');

interface Machine {
  readonly isRoot?: boolean;
  /** What sudo does: absent, refuses without a password, or lets in. */
  readonly sudo?: 'asks' | 'lets in';
  readonly hasNamespaces?: boolean;
  readonly hasTun?: boolean;
  /** Programs of the lab and of the tests that are there. */
  readonly programs?: readonly string[];
  readonly hasApt?: boolean;
}

/** A fresh clone on a machine of this kind: `prepare.sh` run in it, and what it started. */
async function prepare(machine: Machine, ...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-prepare-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await mkdir(join(folder, 'tools'));
  await cp(join(root, 'tools/lab'), join(folder, 'tools/lab'), { recursive: true });
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await writeFile(join(folder, 'rolldown.config.ts'), '');
  await mkdir(join(folder, 'src'));
  const add = async (name: string, script: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  };
  const note = (name: string) => `echo "${name} $*" >>${folder}/started`;
  for (const name of everyday) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    const path = stdout.trim();
    if (path.startsWith('/')) await symlink(path, join(bin, name));
  }
  const { isRoot = false, sudo, hasNamespaces = true, hasTun = true, hasApt = true } = machine;
  for (const name of machine.programs ?? lab) await add(name, 'exit 0');
  await add('id', `echo ${isRoot ? 0 : 1000}`);
  await add('unshare', hasNamespaces ? 'exit 0' : 'echo "not permitted" >&2; exit 1');
  const install = 'mkdir -p node_modules/.bin node_modules/@rolldown/binding-linux-a';
  await add('npm', `${note('npm')}; ${install}; : >node_modules/.package-lock.json`);
  if (hasApt) await add('apt-get', note('apt-get'));
  if (sudo === 'asks') await add('sudo', '[ "$1" = -n ] && exit 1; exit 9');
  if (sudo === 'lets in') await add('sudo', '[ "$1" = -n ] || exec "$@"');
  if (hasTun) await writeFile(join(folder, 'tun'), '');
  const { status, stderr } = spawnSync('/bin/sh', ['tools/lab/prepare.sh', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: bin, LAB_OF_TRIBUTARY_TUN: join(folder, 'tun') },
  });
  const started = await readFile(join(folder, 'started'), 'utf8').catch(() => '');
  return { status, said: stderr, started: started.trimEnd().split('\n'), folder };
}

const bare: Machine = { programs: [], hasNamespaces: false, hasTun: false };
const extra = 'no-such-program:some-package';

describe('a person without root', () => {
  test('is told at once what the demonstration and the tests lack, before npm is started', async () => {
    const { status, said, started, folder } = await prepare({ ...bare, sudo: 'asks' });
    expect(status).toBe(77);
    expect(started).toEqual(['']);
    const command = /^ {2}sudo apt-get update && sudo apt-get install -y [^\n]*$/m.exec(said)?.[0];
    for (const name of ['wireguard-go', 'wireguard-tools', 'openssl', 'iputils-ping'])
      expect(command).toContain(` ${name}`);
    expect(said).toMatch(/namespaces?\b.*\n/);
    expect(said).toContain(`${folder}/tun is missing; make it with: sudo modprobe tun\n`);
  });

  test('is shown no sudo where it is not installed', async () => {
    const { said } = await prepare(bare);
    expect(said).not.toMatch(/\bsudo\b/);
    expect(said).toMatch(/^ {2}as root: apt-get update && apt-get install -y /m);
    expect(said).toContain('as root: modprobe tun');
  });

  test('gets the names alone where there is no apt-get', async () => {
    const { status, said, started } = await prepare({ ...bare, hasApt: false, sudo: 'asks' });
    expect([status, started]).toEqual([69, ['']]);
    expect(said).toMatch(/with your system's package manager: .*wireguard-tools/);
    expect(said).not.toContain('apt-get');
  });

  test('who may use sudo without a password has the packages installed', async () => {
    const { status, started } = await prepare({ programs: [], sudo: 'lets in' });
    expect(status).toBe(0);
    expect(started[0]).toBe('apt-get update -q');
    expect(started[1]).toMatch(/^apt-get install -y --no-install-recommends .*wireguard-tools/);
  });

  test('needs nothing but npm where the packages are there', async () => {
    const { status, said, started } = await prepare({});
    expect([status, said.match(/apt-get|missing/)]).toEqual([0, null]);
    expect(started).toEqual([
      'npm ci --no-audit --no-fund --loglevel=error',
      'npm run --silent build',
    ]);
  });

  test.each([
    ['no namespaces', { hasNamespaces: false }, /namespaces?\b/],
    ['no tun device', { hasTun: false }, /tun is missing/],
  ])(
    'with %s cannot have the demonstration, and is told before npm is started',
    async (_, machine, why) => {
      const { status, said, started } = await prepare(machine);
      expect([status, started]).toEqual([77, ['']]);
      expect(said).toMatch(why);
    },
  );

  test('without namespaces has the tests that need none', async () => {
    const { status, said, started } = await prepare({ hasNamespaces: false }, '--tests');
    expect(said).toMatch(/namespaces?\b/);
    expect([status, started.length]).toEqual([0, 2]);
  });

  test('goes without what is optional, and is told', async () => {
    const { status, said } = await prepare({}, '--tests', '--optional', extra);
    expect(status).toBe(0);
    expect(said).toContain('left out, because these packages are missing: some-package\n');
  });
});

describe('root', () => {
  test('has what is missing installed, and sees no sudo', async () => {
    const { status, said, started } = await prepare({ programs: [], isRoot: true }, extra);
    expect(status).toBe(0);
    expect(started[1]).toMatch(/^apt-get install -y .*\bsome-package\b/);
    // Packages that only the tests need are left out.
    expect(started[1]).not.toContain('iputils-ping');
    expect(said).not.toMatch(/\bsudo\b|as root/);
  });

  test('has what is optional installed', async () => {
    const { started } = await prepare({ isRoot: true }, '--tests', '--optional', extra);
    expect(started[1]).toBe('apt-get install -y --no-install-recommends some-package');
  });
});

test('a unit file needs npm packages alone, on any machine', async () => {
  const { status, started } = await prepare(bare, '--only');
  expect(status).toBe(0);
  expect(started).toEqual(['npm ci --no-audit --no-fund --loglevel=error']);
});
