import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import {
  knownLibraries,
  namePackageFile,
  type Release,
  renderControl,
  renderDebianChangelog,
  renderManPage,
  renderSampleConfig,
  targets,
  toDebianVersion,
} from '../../../tools/packaging/release.ts';

const release: Release = { version: '1.2.3', dateSeconds: 1_700_000_000 };
const [amd64, arm64] = targets;
if (amd64 === undefined || arm64 === undefined) throw new Error('both are made');
const source = new URL('../../../', import.meta.url).pathname;

describe('what Debian is told', () => {
  test('names the package by version and architecture', () => {
    expect(targets.map((target) => namePackageFile(release, target))).toEqual([
      'tributary_1.2.3-1_amd64.deb',
      'tributary_1.2.3-1_arm64.deb',
    ]);
    expect(renderControl(release, arm64, 123)).toMatch(
      /^Version: 1\.2\.3-1\nArchitecture: arm64$/m,
    );
    expect(renderControl(release, amd64, 123)).toMatch(/^Installed-Size: 123$/m);
  });

  test('every line is a field or goes on with one', () => {
    const lines = renderControl(release, amd64, 1).trimEnd().split('\n');
    expect(lines.filter((line) => !/^([A-Z][\w-]+: \S| \S)/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.length > 150)).toEqual([]);
  });

  test('names what the engine of source: connect is started with', () => {
    const [, depends = ''] = /^Depends: (.*)$/m.exec(renderControl(release, amd64, 1)) ?? [];
    const names = depends.split(/,\s*/).map((text) => text.split(' ')[0]);
    // /usr/bin/perl and setpriv.
    expect(names).toEqual(expect.arrayContaining(['perl-base', 'util-linux']));
  });

  test('a pre-release comes before its release', () => {
    expect(toDebianVersion({ ...release, version: '1.0.0-beta.1' })).toBe('1.0.0~beta.1-1');
  });

  test('the changelog has the day of the release', () => {
    expect(renderDebianChangelog(release)).toMatch(
      / -- .+ <\S+> {2}Tue, 14 Nov 2023 22:13:20 \+0000\n$/,
    );
  });

  test('the manual page says of which version and day it is', () => {
    const page = readFileSync(join(source, 'docs/man-page.roff'), 'utf8');
    const heading = (version: string) =>
      renderManPage(page, { ...release, version })
        .split('\n')
        .find((line) => line.startsWith('.TH '));
    expect(heading('1.2.3')).toBe('.TH TRIBUTARY 1 "2023-11-14" "tributary 1.2.3" "User Commands"');
    expect(heading('1.0.0-beta.1')).toContain(' "tributary 1.0.0\\-beta.1" ');
  });

  test.each([
    ['libc.so.6', true],
    ['libstdc++.so.6', true],
    ['ld-linux-x86-64.so.2', true],
    ['ld-linux-aarch64.so.1', true],
    ['libatomic.so.1', false],
    ['libssl.so.3', false],
  ])('%s comes with what is depended on: %s', (name, expected) => {
    expect(knownLibraries.test(name)).toBe(expected);
  });
});

describe('the configuration as it is installed', () => {
  let directory: string;
  const original = readFileSync(join(source, 'config/tributary.yaml'), 'utf8');
  const sample = renderSampleConfig(original);
  const load = async (text: string) => {
    const configPath = join(directory, 'tributary.yaml');
    await writeFile(configPath, text);
    return loadConfig({ configPath, environment: {} });
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tributary-sample-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('lacks one thing, and that is said', async () => {
    await expect(load(sample)).rejects.toThrow(
      /tributary\.yaml:\d+: service\.base_url: missing; allowed: an https:/,
    );
    await expect(load(sample)).rejects.not.toThrow(/\n.*\n/);
  });

  test('is good when the service is named, and says what the sample in the source says', async () => {
    const named = await load(
      sample.replace('# base_url: https://service.example', 'base_url: https://service.example'),
    );
    expect(named.config).toEqual((await load(original)).config);
  });

  test('names the schema where it is installed', () => {
    expect(sample.split('\n')[0]).toContain('$schema=/usr/share/tributary/tributary.schema.json');
    expect(sample).not.toContain('Copy it to');
  });
});

describe.each([
  'systemd/debian/postinst',
  'systemd/debian/prerm',
  'systemd/debian/postrm',
  'tools/packaging/tributary',
])('%s', (name) => {
  const path = join(source, name);

  test('is a script that sh reads', () => {
    expect(spawnSync('sh', ['-n', path], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(readFileSync(path, 'utf8')).toMatch(/^#!\/bin\/sh\n/);
  });
});

test('the scripts of the package fetch nothing', () => {
  const scripts = ['postinst', 'prerm', 'postrm'].map((name) =>
    readFileSync(join(source, 'systemd/debian', name), 'utf8'),
  );
  expect(scripts.join('\n')).not.toMatch(/\b(curl|wget|npm|apt|apt-get)\b/);
});

test('purge removes what is the agent’s, and nothing else', () => {
  const text = execFileSync('grep', ['-h', 'rm -rf', join(source, 'systemd/debian/postrm')], {
    encoding: 'utf8',
  });
  expect(text.trim()).toBe('rm -rf /etc/tributary /var/lib/tributary /var/lib/private/tributary');
});
