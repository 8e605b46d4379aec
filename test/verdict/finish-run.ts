/**
 * finish-run.ts FOLDER PART=EXIT_CODE…: what `.ci/run` ends with. Reads the report of each part
 * from the file of its name in FOLDER, and what it printed from NAME.log. Runs each file with a
 * failed test again, alone, and says what is unsteady and what failed. Prints one line to standard
 * output, "N passed, N failed", and all else to standard error; exits with 1 where anything failed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findComplaints } from './find-complaints.ts';
import { judgeRuns, listFilesToRunAgain, type Part } from './judge-runs.ts';
import { parseReports } from './run-report.ts';

const [folder = '', ...given] = process.argv.slice(2);
const parts = given.map((text) => {
  const [name = '', exitCode = ''] = text.split('=');
  return readPart(name, { path: join(folder, name), exitCode: Number(exitCode) });
});
const again = new Map(
  listFilesToRunAgain(parts).map((file, index) => {
    const path = join(folder, `again-${index}`);
    process.stderr.write(`\n${file} is run again, alone, because a test of it failed\n`);
    const { status } = spawnSync('npm', ['run', 'test:full', '--', file], {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, TEST_REPORT: path },
    });
    return [file, readPart(`${file}, again`, { path, exitCode: status ?? 1 })] as const;
  }),
);
const { lines, passed, failed } = judgeRuns(parts, again);
for (const line of lines) process.stderr.write(`${line}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function readPart(name: string, run: { readonly path: string; readonly exitCode: number }): Part {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return {
    name,
    exitCode: run.exitCode,
    reports: parseReports(read(run.path)),
    complaints: findComplaints(read(`${run.path}.log`)),
  };
}
