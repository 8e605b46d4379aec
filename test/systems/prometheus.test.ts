import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Facts } from '../../src/health/facts.ts';
import { judgePhase } from '../../src/health/phase.ts';
import { renderMetrics } from '../../src/report/metrics.ts';
import type { MarketReport } from '../../src/source/source-report.ts';
import { consumersSource, createFacts, providingFacts } from '../../tools/docs/sample-facts.ts';
import { readBlocks } from '../pages.ts';
import { createStatusFixture, pageOf } from '../unit/status/status-fixture.ts';
import { findFreePort } from './support/free-port.ts';
import { startPrometheus } from './support/prometheus.ts';

const config = fileURLToPath(new URL('../../config/', import.meta.url));
const golden = fileURLToPath(new URL('../golden/', import.meta.url));
const read = (name: string) => readFileSync(`${config}${name}`, 'utf8');
const alertsText = read('prometheus-alerts.yaml');
const rules = z
  .object({
    groups: z.array(
      z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) }),
    ),
  })
  .parse(parse(alertsText))
  .groups.flatMap((group) => group.rules);
const panels = z
  .object({
    panels: z.array(
      z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) }),
    ),
  })
  .parse(JSON.parse(read('grafana-dashboard.json'))).panels;

function promtool(...args: readonly string[]): string {
  return execFileSync('promtool', args, { cwd: config, encoding: 'utf8' });
}

test.each(['metrics-fresh.txt', 'metrics-providing.txt'])(
  '%s is as Prometheus wants metrics to be',
  (name) => {
    const input = readFileSync(`${golden}${name}`);
    expect(execFileSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('');
  },
);

test('the alerts are valid, and their own tests hold', () => {
  expect(promtool('check', 'rules', 'prometheus-alerts.yaml')).toContain(
    `${rules.length} rules found`,
  );
  expect(promtool('test', 'rules', 'prometheus-alerts.test.yaml')).toContain('SUCCESS');
});

test('each alert has a test in which it fires and one in which it does not', () => {
  const { tests } = parse(read('prometheus-alerts.test.yaml'));
  const checks: readonly { alertname: string; exp_alerts: readonly unknown[] }[] = tests.flatMap(
    (row: { alert_rule_test: unknown }) => row.alert_rule_test,
  );
  const named = (isFiring: boolean) =>
    new Set(
      checks.filter((row) => row.exp_alerts.length > 0 === isFiring).map((row) => row.alertname),
    );
  const all = new Set(rules.map((rule) => rule.alert));
  expect(named(true)).toEqual(all);
  expect(named(false)).toEqual(all);
});

/** Devices in every trouble that an alert is about: their facts at the nth scrape. */
const devices: readonly ((scrape: number) => Facts)[] = [
  () => at({}),
  (scrape) =>
    at({
      startedAt: new Date(scrape * 1000),
      residentBytes: 300_000_000,
      service: { isReachable: false },
      usage: { bytes: 490_000_000_000 },
      gateway: {
        forwardedBytes: { up: scrape * 1e6, down: scrape * 1e7 },
        refusedPackets: { 'private-destination': scrape * 1e6 },
      },
    }),
  () => at({ tunnel: { lastHandshakeAt: new Date(Date.now() - 3_600_000) } }),
  () =>
    at({ signInProblem: { code: 'signed-out', message: 'No network JWT.', since: new Date() } }),
  // It falls out of the network's list once Prometheus has seen it there, and another one soon may.
  (scrape) => withMarket(scrape < 5 ? 'listed' : 'dropped'),
  () => withMarket('at-risk'),
];

/** A device that provides by the network's own protocol, with this place in its market. */
function withMarket(standing: MarketReport['standing']): Facts {
  const { market } = consumersSource;
  return {
    ...at({}),
    sources: [{ ...consumersSource, market: market && { ...market, standing } }],
  };
}

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

test('a real Prometheus finds series for everything that dashboard and alerts ask for, and every alert fires', async () => {
  const targets = [
    ...(await Promise.all(devices.map(startDevice))),
    `127.0.0.1:${await findFreePort()}`,
  ];
  // The wait before an alert is promtool's to test, above.
  const prometheus = await startPrometheus({
    targets,
    rules: alertsText.replaceAll(/(for|interval): \d+m/g, '$1: 1s'),
  });
  await vi.waitFor(
    async () => expect(await prometheus.countSeries('up == 1')).toBe(devices.length),
    30_000,
  );
  const asked = panels.flatMap(({ title, targets: own }) =>
    own.map(({ expr }) => ({ title, expr })),
  );
  expect(asked.length).toBeGreaterThan(15);
  await vi.waitFor(
    async () => {
      for (const { title, expr } of asked) {
        const expression = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
        expect(await prometheus.countSeries(expression), `${title}: ${expression}`).toBeGreaterThan(
          0,
        );
      }
      for (const { alert, expr } of rules)
        expect(await prometheus.countSeries(expr), alert).toBeGreaterThan(0);
      expect(new Set(await prometheus.firing())).toEqual(new Set(rules.map(({ alert }) => alert)));
    },
    { timeout: 60_000, interval: 500 },
  );
});

test('the lines of the documentation make Prometheus scrape the agent', async () => {
  const page = await startDevice(() => at({}));
  const directory = mkdtempSync(join(tmpdir(), 'tributary-prometheus-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(
    join(directory, 'prometheus.yml'),
    readBlocks('yml', 'docs/monitoring.md').join(''),
  );
  writeFileSync(join(directory, 'prometheus-alerts.yaml'), alertsText);
  const [commands = ''] = readBlocks('sh', 'docs/monitoring.md');
  const run = promisify(execFile);
  const here = ['-ec', commands.replace('127.0.0.1:9469', page)];
  const { stdout } = await run('sh', here, { cwd: directory });
  expect(stdout).toContain('tributary_phase{phase="providing"} 1');
  expect(stdout).toContain(`${rules.length} rules found`);
});

test('every statistic is on the dashboard, but for the few that say how the rest is to be read', () => {
  const facts = devices.map((factsAt) => factsAt(1));
  const text = facts
    .map((each) =>
      renderMetrics({ facts: each, report: judgePhase(each, new Date()), now: new Date() }),
    )
    .join('');
  const names = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name ?? ''));
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
  const absent = [...names].filter((name) => !shown.includes(name));
  expect(absent).toEqual([
    'tributary_build_info',
    'tributary_service_last_contact_timestamp_seconds',
    'tributary_service_keepalive_seconds',
    'tributary_source_received_bytes_total',
    'tributary_source_sent_bytes_total',
    'tributary_tunnel_received_bytes_total',
    'tributary_tunnel_sent_bytes_total',
  ]);
});
