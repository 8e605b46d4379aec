import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Facts } from '../../src/health/facts.ts';
import { judgePhase } from '../../src/health/phase.ts';
import { renderMetrics } from '../../src/report/metrics.ts';
import { createFacts, providingFacts } from '../../tools/docs/sample-facts.ts';
import { createStatusFixture, pageOf } from '../unit/status/status-fixture.ts';
import { findFreePort } from './support/free-port.ts';
import { startPrometheus } from './support/prometheus.ts';

const config = fileURLToPath(new URL('../../config/', import.meta.url));
const read = (name: string) => readFileSync(`${config}${name}`, 'utf8');
const rulesText = read('prometheus-fleet-rules.yaml');
const rules = z
  .object({
    groups: z.array(
      z.object({ rules: z.array(z.object({ record: z.string(), expr: z.string() })) }),
    ),
  })
  .parse(parse(rulesText))
  .groups.flatMap((group) => group.rules);
const dashboard = z
  .object({
    panels: z.array(
      z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) }),
    ),
  })
  .parse(JSON.parse(read('grafana-fleet-dashboard.json')));
const asked = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, expr })),
);

function promtool(...args: readonly string[]): string {
  return execFileSync('promtool', args, { cwd: config, encoding: 'utf8' });
}

test('the rules are valid, and their own tests hold', () => {
  expect(promtool('check', 'rules', 'prometheus-fleet-rules.yaml')).toContain(
    `${rules.length} rules found`,
  );
  expect(promtool('test', 'rules', 'prometheus-fleet-rules.test.yaml')).toContain('SUCCESS');
});

test('every rule is named for its labels, its metric and what is done with it, and has a test of its own', () => {
  const names = rules.map(({ record }) => record);
  expect(
    names.filter(
      (name) =>
        !/^(job|instance)(_[a-z]+)*:[a-z0-9_]+:(sum|count|ratio|rate|avg|increase)[a-z0-9_]*$/.test(
          name,
        ),
    ),
  ).toEqual([]);
  const tested = z
    .object({
      tests: z.array(
        z.object({
          promql_expr_test: z.array(
            z.object({ expr: z.string(), exp_samples: z.array(z.unknown()) }),
          ),
        }),
      ),
    })
    .parse(parse(read('prometheus-fleet-rules.test.yaml')))
    .tests.flatMap((each) => each.promql_expr_test.filter((row) => row.exp_samples.length > 0));
  expect(names.filter((name) => !tested.some(({ expr }) => expr.includes(name)))).toEqual([]);
});

test('the dashboard reads nothing that neither a device nor a rule gives', () => {
  const text = renderMetrics({
    facts: providingFacts,
    report: judgePhase(providingFacts, new Date()),
    now: new Date(),
  });
  const given = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
  for (const { record } of rules) given.add(record);
  // A reason is there where there is one.
  given.add('tributary_reason');
  const used = asked.flatMap(
    ({ expr }) => expr.match(/[a-z_]+:[a-z0-9_:]+|tributary_[a-z_]+/g) ?? [],
  );
  expect(used.length).toBeGreaterThan(asked.length - 1);
  expect(used.filter((name) => !given.has(name))).toEqual([]);
});

const signedOut = { code: 'signed-out', message: 'No network JWT.', since: new Date() } as const;
const moved = {
  code: 'identity-moved',
  message: 'It was registered elsewhere.',
  since: new Date(),
} as const;
/** A fleet: their facts at the nth scrape. */
const devices: readonly ((scrape: number) => Facts)[] = [
  (scrape) => at({ gateway: { forwardedBytes: { up: scrape * 1e6, down: scrape * 1e7 } } }),
  (scrape) =>
    at({
      gateway: { forwardedBytes: { up: scrape * 2e6, down: scrape } },
      usage: { bytes: 490_000_000_000 },
    }),
  () => at({ signInProblem: signedOut }),
  () => createFacts({ stateProblem: moved }),
];

function at(change: Parameters<typeof createFacts>[0]): Facts {
  return createFacts(
    change,
    createFacts({ tunnel: { lastHandshakeAt: new Date() } }, providingFacts),
  );
}

async function startDevice(factsAt: (scrape: number) => Facts): Promise<string> {
  let scrape = 0;
  const metrics = () => {
    scrape += 1;
    const facts = factsAt(scrape);
    return renderMetrics({ facts, report: judgePhase(facts, new Date()), now: new Date() });
  };
  const fixture = await createStatusFixture({ host: '127.0.0.1', port: 0 }, { metrics });
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  await fixture.start();
  return pageOf(fixture.server);
}

test('a real Prometheus records every rule of a fleet, and answers all that its dashboard asks for', async () => {
  const targets = [
    ...(await Promise.all(devices.map(startDevice))),
    `127.0.0.1:${await findFreePort()}`,
  ];
  const prometheus = await startPrometheus({
    targets,
    rules: rulesText.replaceAll(/interval: \d+m/g, 'interval: 1s'),
  });
  expect(asked.length).toBeGreaterThan(15);
  await vi.waitFor(
    async () => {
      for (const { record } of rules)
        expect(await prometheus.countSeries(record), record).toBeGreaterThan(0);
      for (const { title, expr } of asked)
        expect(await prometheus.countSeries(expr), `${title}: ${expr}`).toBeGreaterThan(0);
      // One does not answer, two do not work, one of the others is near its cap.
      expect(await prometheus.countSeries('job:up:count - job:up:sum == 1')).toBe(1);
      expect(
        await prometheus.countSeries('job_phase:tributary_phase:sum{phase="providing"} == 2'),
      ).toBe(1);
      expect(
        await prometheus.countSeries(
          'job_code:tributary_reason:count_not_working{code="identity-moved"} == 1',
        ),
      ).toBe(1);
      expect(await prometheus.countSeries('job:tributary_usage_bytes:count_near_cap == 1')).toBe(1);
    },
    { timeout: 60_000, interval: 500 },
  );
});
