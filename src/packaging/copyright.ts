import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { TributaryError } from '../lib/errors.ts';

/** A part of the package that others wrote; `licence` is an SPDX name, `text` the licence as it came with the part. */
export type Component = Readonly<Awaited<ReturnType<typeof readComponent>>>;

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** What a package's own files say of its licence. @throws command-failed where one is missing */
export async function readComponent(directory: string) {
  const said = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const { name, version, license } = manifest.parse(said);
  const file = (await readdir(directory)).sort().find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new TributaryError('command-failed', `${name} comes without the text of its licence`);
  return { name, version, licence: license, text: await readFile(join(directory, file), 'utf8') };
}

/** The machine-readable copyright file: ours, Node's, and that of every npm package in the bundle. */
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
  const [first = `the authors of ${name}`, ...others] = [...text.matchAll(holder)].map(([, who = '']) => who.trim());
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

/** Who is named in a line of its own; other lines speak of copyright in general. */
const holder = /^\W*Copyright:? (?!.*\b(?:notice|holders?|owner|[Ll]icen[cs]e|statement)\b)(.+)$/gm;

function indentText(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`));
}
