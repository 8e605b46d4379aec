import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** A test, or a group whose hooks failed, by its file below the root and its full name. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

/** What came of one run of vitest. */
export interface RunReport {
  readonly passed: readonly NamedTest[];
  readonly failed: readonly NamedTest[];
  /** Files that could not be loaded, so that none of their tests ran. */
  readonly unloaded: readonly string[];
  /** Errors that belong to no test: a rejected promise that nobody awaited, a broken set-up. */
  readonly errorCount: number;
}

/**
 * Adds a line to the file `path` when a run ends: the run's report, as JSON. Several runs may share
 * a file. A run that is cut short adds nothing.
 */
export function createRunReporter(path: string): Reporter {
  return {
    onTestRunEnd: (modules, errors, reason) => {
      if (reason === 'interrupted') return;
      const report: RunReport = {
        passed: modules.flatMap((own) =>
          [...own.children.allTests('passed')].map(({ fullName }) => toNamed(own, fullName)),
        ),
        failed: modules.flatMap(listFailed),
        unloaded: modules.filter(isUnloaded).map(({ moduleId }) => toPath(moduleId)),
        errorCount: errors.length,
      };
      appendFileSync(path, `${JSON.stringify(report)}\n`);
    },
  };
}

/** The reports that runs have added to a file's text, in their order. */
export function parseReports(text: string): readonly RunReport[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function isUnloaded(own: TestModule): boolean {
  return own.state() === 'failed' && own.children.size === 0;
}

/** Failed tests, and groups of which a hook failed: their tests are skipped, not failed. */
function listFailed(own: TestModule): readonly NamedTest[] {
  const groups = [...own.children.allSuites()].filter((suite) => suite.errors().length > 0);
  const tests = [...own.children.allTests('failed')];
  const isFileFailed = own.errors().length > 0 && !isUnloaded(own);
  return [
    ...(isFileFailed ? [toNamed(own, 'the hooks of the file')] : []),
    ...groups.map(({ fullName }) => toNamed(own, `the hooks of ${fullName}`)),
    ...tests.map(({ fullName }) => toNamed(own, fullName)),
  ];
}

function toNamed({ moduleId }: TestModule, name: string): NamedTest {
  return { file: toPath(moduleId), name };
}

function toPath(moduleId: string): string {
  return relative(process.cwd(), moduleId);
}
