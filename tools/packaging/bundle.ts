import { readFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';
import { program } from '../../rolldown.config.ts';

/** The built program: its files, and the npm packages in them. */
export type Bundle = Awaited<ReturnType<typeof buildBundle>>;

/** Builds the command alone, without anything for development. Nothing is written to disk. */
export async function buildBundle(root: string, version: string) {
  const { output: outputOptions, ...inputOptions } = program;
  // The program reports the version of its package.
  const manifest = { code: JSON.stringify({ version }), moduleType: 'json' as const };
  const load = (id: string) => (id === `${root}/package.json` ? manifest : null);
  await using build = await rolldown({
    ...inputOptions,
    cwd: root,
    input: { tributary: 'src/tributary.ts' },
    logLevel: 'silent',
    plugins: [inputOptions.plugins, { name: 'version', load }],
  });
  const { output } = await build.generate([outputOptions ?? []].flat()[0]);
  const chunks = output.flatMap((part) => (part.type === 'chunk' ? [part] : []));
  const packages = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .flatMap((id) => packageName.exec(id)?.[1] ?? []);
  return {
    files: [
      ...chunks.map(({ fileName, code }) => ({ name: fileName, text: code })),
      { name: 'compile.cjs', text: await readFile(`${root}/tools/packaging/compile.cjs`, 'utf8') },
    ],
    packages: [...new Set(packages)].sort(),
  };
}

const packageName = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
