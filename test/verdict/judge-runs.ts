import type { NamedTest, RunReport } from './run-report.ts';

/** A command of `.ci/run`: its exit code, what its runs of vitest reported, and what it printed. */
export interface Part {
  readonly name: string;
  readonly exitCode: number;
  readonly reports: readonly RunReport[];
  /** Lines of its output that a passing run does not print. */
  readonly complaints: readonly string[];
}

export interface Verdict {
  /** What a reader has to know, a line each. */
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}

/**
 * So many files may have tests that fail once and pass alone; with more, the run tells nothing.
 * Files are counted, because what shakes one test of a world shakes those after it.
 */
const mostUnsteady = 3;
/** So many of a part's complaints are shown. */
const mostComplaints = 5;
/** With more files than this, something is broken, and running them again would tell no more. */
const mostFiles = 10;

/**
 * The files that have to run a second time, each alone: those in which a test failed. None where
 * that is hopeless.
 */
export function listFilesToRunAgain(parts: readonly Part[]): readonly string[] {
  const files = new Set(
    listFailed(parts.flatMap(({ reports }) => reports)).map(({ file }) => file),
  );
  return files.size > mostFiles ? [] : [...files].toSorted();
}

/**
 * Counts both tries together. A test that failed in one of its two tries is unsteady, and counts as
 * passed as long as few files have such tests. One that failed twice, a file that did not load, an
 * error outside of the tests, a part that failed without a reason given in its reports, and one
 * that passed and complained all the same count as failed.
 *
 * `again` holds the part for each file that ran a second time.
 */
export function judgeRuns(parts: readonly Part[], again: ReadonlyMap<string, Part>): Verdict {
  const first = parts.flatMap(({ reports }) => reports);
  const second = [...again.values()].flatMap(({ reports }) => reports);
  const passedFirst = toKeys(first.flatMap(({ passed }) => passed));
  const passedAgain = toKeys(second.flatMap(({ passed }) => passed));
  const failedFirst = toKeys(listFailed(first));
  const failedAgain = toKeys(listFailed(second));
  const isMended = (key: string) =>
    !failedAgain.has(key) && (passedAgain.has(key) || hasRun(key, second));
  const twice = [...failedFirst].filter((key) => !isMended(key));
  const unsteady = [
    ...[...failedFirst].filter(isMended),
    ...[...failedAgain].filter((key) => !failedFirst.has(key)),
  ].toSorted();
  const broken = [
    ...[...first, ...second].flatMap(({ unloaded }) =>
      unloaded.map((file) => `did not load: ${file}`),
    ),
    ...parts.flatMap(listOutside),
    ...[...again.values()].flatMap(listOutside),
  ];
  const isTooUnsteady = new Set(unsteady.map(toFile)).size > mostUnsteady;
  const refused = new Set([...twice, ...(isTooUnsteady ? unsteady : [])]);
  // Tests of one file may share a name, so the first try's are counted and not collected.
  const passed = [
    ...first.flatMap((report) => report.passed.map(toKey)),
    ...[...passedAgain].filter((key) => !passedFirst.has(key)),
  ].filter((key) => !refused.has(key));
  return {
    lines: [
      ...unsteady.map((key) => `unsteady: ${key}`),
      ...(isTooUnsteady ? [`tests of more than ${mostUnsteady} files are unsteady`] : []),
      ...twice.map((key) => `failed: ${key}`),
      ...broken,
    ],
    passed: passed.length,
    failed: twice.length + broken.length + (isTooUnsteady ? unsteady.length : 0),
  };
}

/** What went wrong in a part beside its tests, a line each. */
function listOutside({ name, exitCode, reports, complaints }: Part): readonly string[] {
  const errorCount = reports.reduce((sum, report) => sum + report.errorCount, 0);
  if (errorCount > 0) return [`${name}: ${errorCount} errors outside of the tests`];
  const isExplained =
    reports.length > 0 &&
    reports.some(({ failed, unloaded }) => failed.length + unloaded.length > 0);
  if (exitCode !== 0) return isExplained ? [] : [`${name} ended with ${exitCode}`];
  // A failed test is shown with its stack; in a part that passed, nobody expects one.
  if (complaints.length === 0) return [];
  return [`${name} passed, but printed: ${complaints.slice(0, mostComplaints).join(' | ')}`];
}

function listFailed(reports: readonly RunReport[]): readonly NamedTest[] {
  return reports.flatMap(({ failed }) => failed);
}

const hooks = / > the hooks of /;

/** A group's hooks are in no list where they pass: then they ran if anything of the file did. */
function hasRun(key: string, reports: readonly RunReport[]): boolean {
  const [file] = key.split(hooks);
  return hooks.test(key) && reports.some(({ passed }) => passed.some((own) => own.file === file));
}

function toKey({ file, name }: NamedTest): string {
  return `${file} > ${name}`;
}

function toFile(key: string): string {
  return key.split(' > ')[0] ?? key;
}

function toKeys(tests: readonly NamedTest[]): ReadonlySet<string> {
  return new Set(tests.map(toKey));
}
