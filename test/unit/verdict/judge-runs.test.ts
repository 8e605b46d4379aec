import { describe, expect, test } from 'vitest';
import { judgeRuns, listFilesToRunAgain, type Part } from '../../verdict/judge-runs.ts';
import type { RunReport } from '../../verdict/run-report.ts';

const toTests = (file: string, names: string) =>
  names
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => ({ file, name }));

/** A report on one file, tests by their names. */
function report(
  file: string,
  given: { passed?: string; failed?: string; isUnloaded?: true; errorCount?: number },
): RunReport {
  const { passed = '', failed = '', isUnloaded, errorCount = 0 } = given;
  return {
    passed: toTests(file, passed),
    failed: toTests(file, failed),
    unloaded: isUnloaded ? [file] : [],
    errorCount,
  };
}

function part(
  reports: readonly RunReport[],
  exitCode = 0,
  complaints: readonly string[] = [],
): Part {
  return { name: 'rest', exitCode, reports, complaints };
}

/** One part, and what its files came to when they ran again. */
function judge(first: Part, ...second: readonly RunReport[]) {
  const again = second.map((own) => {
    const file = [...own.passed, ...own.failed][0]?.file ?? own.unloaded[0] ?? '';
    return [file, part([own], own.failed.length > 0 ? 1 : 0)] as const;
  });
  return judgeRuns([first], new Map(again));
}

describe('the verdict on a run', () => {
  const cases: readonly [string, Part, readonly RunReport[], ReturnType<typeof judgeRuns>][] = [
    [
      'in which all passed counts them',
      part([report('a', { passed: 'one two' }), report('b', { passed: 'one' })]),
      [],
      { lines: [], passed: 3, failed: 0 },
    ],
    [
      'counts tests of one name one by one',
      part([report('a', { passed: 'one one' })]),
      [],
      { lines: [], passed: 2, failed: 0 },
    ],
    [
      'takes a test that passes alone for passed, and names it',
      part([report('a', { passed: 'one', failed: 'two' })], 1),
      [report('a', { passed: 'one two' })],
      { lines: ['unsteady: a > two'], passed: 2, failed: 0 },
    ],
    [
      'refuses a test that fails twice',
      part([report('a', { passed: 'one', failed: 'two' })], 1),
      [report('a', { passed: 'one', failed: 'two' })],
      { lines: ['failed: a > two'], passed: 1, failed: 1 },
    ],
    [
      'refuses a test that did not run again',
      part([report('a', { passed: 'one', failed: 'two' })], 1),
      [report('a', { passed: 'one' })],
      { lines: ['failed: a > two'], passed: 1, failed: 1 },
    ],
    [
      'names a test that fails alone only',
      part([report('a', { passed: 'one', failed: 'two' })], 1),
      [report('a', { passed: 'two', failed: 'one' })],
      { lines: ['unsteady: a > one', 'unsteady: a > two'], passed: 2, failed: 0 },
    ],
    [
      'takes many unsteady tests of one file for one that is shaken',
      part([report('a', { passed: 'one', failed: 'b c d e' })], 1),
      [report('a', { passed: 'one b c d e' })],
      {
        lines: ['b', 'c', 'd', 'e'].map((name) => `unsteady: a > ${name}`),
        passed: 5,
        failed: 0,
      },
    ],
    [
      'refuses unsteady tests in more than three files',
      part(
        ['a', 'b', 'c', 'd'].map((file) => report(file, { passed: 'one', failed: 'two' })),
        1,
      ),
      ['a', 'b', 'c', 'd'].map((file) => report(file, { passed: 'one two' })),
      {
        lines: [
          ...['a', 'b', 'c', 'd'].map((file) => `unsteady: ${file} > two`),
          'tests of more than 3 files are unsteady',
        ],
        passed: 4,
        failed: 4,
      },
    ],
    [
      'counts tests that a failed hook kept from running once they have run',
      part([report('a', { passed: 'one', failed: '' }), hooksFailed('a')], 1),
      [report('a', { passed: 'one two three' })],
      { lines: ['unsteady: a > the hooks of group'], passed: 3, failed: 0 },
    ],
    [
      'refuses hooks that fail twice',
      part([hooksFailed('a')], 1),
      [hooksFailed('a')],
      { lines: ['failed: a > the hooks of group'], passed: 0, failed: 1 },
    ],
    [
      'refuses a file that did not load',
      part([report('a', { passed: 'one' }), report('b', { isUnloaded: true })], 1),
      [],
      { lines: ['did not load: b'], passed: 1, failed: 1 },
    ],
    [
      'refuses a file that does not load again',
      part([report('a', { failed: 'one' })], 1),
      [report('a', { isUnloaded: true })],
      { lines: ['failed: a > one', 'did not load: a'], passed: 0, failed: 2 },
    ],
    [
      'refuses errors outside of the tests, whatever passed again',
      part([report('a', { failed: 'one', errorCount: 2 })], 1),
      [report('a', { passed: 'one' })],
      { lines: ['unsteady: a > one', 'rest: 2 errors outside of the tests'], passed: 1, failed: 1 },
    ],
    [
      'refuses a part that failed without a failed test',
      part([report('a', { passed: 'one' })], 1),
      [],
      { lines: ['rest ended with 1'], passed: 1, failed: 1 },
    ],
    [
      'refuses a part that passed and complained',
      part([report('a', { passed: 'one' })], 0, ['a warning', 'another']),
      [],
      { lines: ['rest passed, but printed: a warning | another'], passed: 1, failed: 1 },
    ],
    [
      'expects complaints where a test failed',
      part([report('a', { failed: 'one' })], 1, ['at a.ts:1:2']),
      [report('a', { passed: 'one' })],
      { lines: ['unsteady: a > one'], passed: 1, failed: 0 },
    ],
    [
      'refuses a part that reports nothing',
      part([], 77),
      [],
      { lines: ['rest ended with 77'], passed: 0, failed: 1 },
    ],
  ];
  test.each(cases)('%s', (_, first, second, expected) => {
    expect(judge(first, ...second)).toEqual(expected);
  });
});

describe('the files that run again', () => {
  const broken = (count: number) =>
    Array.from({ length: count }, (_, index) => report(`f${index}`, { failed: 'one two' }));

  test('are those with a failed test, each once', () => {
    const parts = [
      part([report('b', { failed: 'one two' }), report('c', { passed: 'one' })]),
      part([report('a', { failed: 'one' }), report('d', { isUnloaded: true })]),
    ];
    expect(listFilesToRunAgain(parts)).toEqual(['a', 'b']);
  });

  test('are empty where so many failed that a second try would tell nothing', () => {
    expect(listFilesToRunAgain([part(broken(10))])).toHaveLength(10);
    expect(listFilesToRunAgain([part(broken(11))])).toEqual([]);
  });
});

function hooksFailed(file: string): RunReport {
  return {
    passed: [],
    failed: [{ file, name: 'the hooks of group' }],
    unloaded: [],
    errorCount: 0,
  };
}
