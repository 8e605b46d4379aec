import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/long-first.ts';
import { patienceMs } from './test/patience.ts';
import { createRunReporter } from './test/verdict/run-report.ts';

/**
 * `short` is what `npm test` runs in three minutes on two cores, `rest` is what it leaves out;
 * without it every file is there.
 */
const part = process.env.TEST_PART;
/** Where `.ci/run` reads what came of the run. */
const reportPath = process.env.TEST_REPORT;

/** The project's files of this part: all of them, and those that are left out of the short one. */
function choose(all: string, rest: readonly string[]) {
  if (part === 'rest') return { include: [...rest] };
  return { include: [all], exclude: part === 'short' ? [...rest] : [] };
}

const everyPage = 'test/page/**/*.test.ts';
const everyAttack = 'test/attack/**/*.test.ts';

/**
 * For two cores: tests in the lab wait more than they work, and the rest has most of them. Projects
 * that run at the same time have to have the same number.
 */
const maxWorkers = part === 'rest' ? 4 : 2;

/**
 * Files that share a process load what they test once. None changes what another sees: no mocks, no
 * settings of the process.
 */
const together = { isolate: false, maxWorkers };

/* Which test goes where: docs/development/testing.md. Everything runs inside tools/lab/enter.sh, a private set of namespaces. */
export default defineConfig({
  test: {
    pool: 'forks',
    // A test waits for events, and only ends here when one never comes.
    testTimeout: 4 * patienceMs,
    hookTimeout: 4 * patienceMs,
    expect: { poll: { timeout: patienceMs, interval: 20 } },
    ...(reportPath && { reporters: ['default', createRunReporter(reportPath)] }),
    // The page's style is text to us; without this, it would be left out.
    css: true,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Thousands of passes, pages that are watched for seconds, and hours of virtual time.
          ...choose('test/{unit,service,reference-service,connect,architecture}/**/*.test.ts', [
            'test/unit/{data-path/laws,source/connect/listed-by-service,status/page/stream}.test.ts',
            'test/connect/provider/{paid,paid-hour,killed,long-life}.test.ts',
            'test/reference-service/platform/week.test.ts',
          ]),
          ...together,
        },
      },
      {
        extends: true,
        test: {
          name: 'flow',
          // Peaks of memory, every command with every hostile answer, thousands of requests, services
          // that fail for long: half a minute each.
          ...choose('test/flow/**/*.test.ts', [
            'test/flow/{answer-memory,faults,generated-requests}.test.ts',
            'test/flow/commands/{hostile-names,two-agents}.test.ts',
          ]),
          ...together,
        },
      },
      {
        extends: true,
        test: {
          name: 'net',
          globalSetup: 'test/global-setup.ts',
          // The short part is the thread: a consumer's packet forwarded by a registered agent, and
          // what is refused.
          ...choose('test/net/**/*.test.ts', [
            'test/net/!(agent|data-path|process|ruleset|secrets|wireguard).test.ts',
          ]),
          maxWorkers,
        },
      },
      // After the others: the one name that the namespace on a host has is taken by test/net
      // meanwhile.
      {
        extends: true,
        test: {
          name: 'attack',
          globalSetup: ['test/global-setup.ts', 'test/attack/attack-setup.ts'],
          ...choose(everyAttack, [everyAttack]),
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      // A real Chromium; left out, aloud, where there is none.
      {
        extends: true,
        test: {
          name: 'page',
          globalSetup: 'test/page/page-setup.ts',
          ...choose(everyPage, [everyPage]),
          maxWorkers,
        },
      },
      // Whole machines, as root and not in the lab's namespaces: `npm run test:systems` only.
      {
        extends: true,
        test: {
          name: 'systems',
          include: ['test/systems/**/*.test.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 3_600_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
