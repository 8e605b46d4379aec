import { mkdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { renderScores } from './scores.ts';

/*
 * `npm run mutate [-- FOLDER…]`: changes one small thing at a time in a copy of these folders and
 * runs their own tests. A change that no test notices has survived. Results are kept in .mutation,
 * and only what changed since is tried again; `--force` tries everything again, as after a change
 * to what tests share.
 */

/** What is changed in each folder, and the tests that have to notice. */
const folders: Readonly<
  Record<string, { readonly code: string; readonly tests: readonly string[] }>
> = {
  provide: { code: 'src/provide/**/*.ts', tests: ['test/unit/provide/**/*.test.ts'] },
  gateway: { code: 'src/gateway/**/*.ts', tests: ['test/unit/gateway/**/*.test.ts'] },
  source: { code: 'src/source/**/*.ts', tests: ['test/unit/source/**/*.test.ts'] },
  identity: {
    code: 'src/identity/**/*.ts',
    tests: [
      'test/unit/identity/**/*.test.ts',
      'test/flow/registration.test.ts',
      'test/flow/sign-in.test.ts',
    ],
  },
  'data-path': {
    code: 'src/data-path/**/*.ts',
    tests: ['test/unit/data-path/**/*.test.ts', 'test/unit/agent/pass/data-path-loop.test.ts'],
  },
  health: { code: 'src/health/**/*.ts', tests: ['test/unit/health/**/*.test.ts'] },
  config: { code: 'src/config/combinations.ts', tests: ['test/unit/config/**/*.test.ts'] },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      concurrency: { type: 'string', default: '2' },
      force: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !(name in folders));
  if (unknown !== undefined) {
    process.stderr.write(`mutate: ${unknown}: not one of ${Object.keys(folders).join(', ')}\n`);
    process.exitCode = 64;
    return;
  }
  // The machine may be needed for something else meanwhile.
  setPriority(10);
  await mkdir('.mutation', { recursive: true });
  const chosen = Object.entries(folders).filter(
    ([name]) => positionals.length === 0 || positionals.includes(name),
  );
  const results = [];
  for (const [name, { code, tests }] of chosen) {
    const stryker = new Stryker({
      testRunner: 'vitest',
      vitest: { configFile: 'test/mutation/vitest.config.ts', pool: 'forks' },
      plugins: ['@stryker-mutator/vitest-runner'],
      mutate: [code],
      testFiles: [...tests],
      // With a file that is there, Stryker would call an interface that TypeScript 7 no longer has.
      tsconfigFile: 'none.json',
      coverageAnalysis: 'perTest',
      ignoreStatic: true,
      incremental: true,
      incrementalFile: `.mutation/${name}.json`,
      force: values.force,
      tempDirName: `.mutation/sandbox-${name}`,
      ignorePatterns: ['dist', 'coverage', 'biome.json', '.mutation'],
      concurrency: Number(values.concurrency),
      timeoutMS: 20_000,
      reporters: ['progress', 'html'],
      htmlReporter: { fileName: `.mutation/${name}.html` },
    });
    results.push(...(await stryker.runMutationTest()));
  }
  process.stdout.write(renderScores(results));
}

await main();
