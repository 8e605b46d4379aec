import { readFile } from 'node:fs/promises';
import { type OutputChunk, rolldown } from 'rolldown';
import { engine, program } from '../../rolldown.config.ts';

/** The built programs: their files, and the npm packages in them. */
export interface Bundle {
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Their names, sorted, each once. */
  readonly packages: readonly string[];
}

/**
 * Builds the command with its demonstration, and the engine, without anything for development, and
 * writes nothing.
 */
export async function buildBundle(root: string, version: string): Promise<Bundle> {
  const command = { ...program, input: { tributary: 'src/tributary.ts', ...demonstration } };
  const chunks = [
    ...(await buildChunks(command, { root, version })),
    ...(await buildChunks(engine, { root, version })),
  ];
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

const demonstration = { demo: 'tools/lab/demo.ts', worker: 'tools/lab/worker.ts' };

async function buildChunks(
  { output: outputOptions, ...inputOptions }: typeof program,
  { root, version }: { readonly root: string; readonly version: string },
): Promise<readonly OutputChunk[]> {
  // The program reports the version of its package, also from the file that has it as its own.
  const own: Readonly<
    Record<string, { readonly code: string; readonly moduleType: 'json' | 'js' }>
  > = {
    [`${root}/package.json`]: { code: JSON.stringify({ version }), moduleType: 'json' },
    '\0own-version': {
      code: `export const version = ${JSON.stringify(version)};`,
      moduleType: 'js',
    },
  };
  const load = (id: string) => own[id] ?? null;
  await using build = await rolldown({
    ...inputOptions,
    cwd: root,
    logLevel: 'silent',
    // First, because the program's own plugins know one version alone.
    plugins: [{ name: 'version', load }, inputOptions.plugins],
  });
  const { output } = await build.generate([outputOptions ?? []].flat()[0]);
  return output.flatMap((part) => (part.type === 'chunk' ? [part] : []));
}

const packageName = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
