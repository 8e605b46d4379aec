import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Facts, SourceFacts } from '../../../src/health/facts.ts';
import { judgePhase } from '../../../src/health/phase.ts';
import { statistics } from '../../../src/health/statistics.ts';
import { renderMetric, renderMetrics } from '../../../src/report/metrics.ts';
import type { MarketReport } from '../../../src/source/source-report.ts';
import {
  ago,
  consumersSource,
  freshFacts,
  now,
  programSource,
  providingFacts,
} from '../../../tools/docs/sample-facts.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { assertLaw } from '../law.ts';
import { parsePrometheus } from './parse-prometheus.ts';

const render = (facts: Facts) => renderMetrics({ facts, report: judgePhase(facts, now), now });

describe('metrics', () => {
  test.each([
    { name: 'providing', facts: providingFacts },
    { name: 'fresh', facts: freshFacts },
  ])('of a device that is $name look as agreed', async ({ name, facts }) => {
    await expect(render(facts)).toMatchFileSnapshot(`../../golden/metrics-${name}.txt`);
  });

  test('keep to the format, whatever the device reports', () => {
    assertLaw(arbitraryFacts, (facts) => {
      const families = parsePrometheus(render(facts));
      const { forwardedBytes } = facts.gateway;
      expect(families.get('tributary_gateway_forwarded_bytes_total')?.samples).toEqual(
        forwardedBytes && [
          { labels: { direction: 'up' }, value: forwardedBytes.up },
          { labels: { direction: 'down' }, value: forwardedBytes.down },
        ],
      );
    });
  });

  test('a label survives quotes, backslashes and line breaks', () => {
    assertLaw(
      fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', 'a', '{', '}', ',') }),
      (reason) => {
        const [metric] = statistics;
        if (metric === undefined) throw new Error('the table is empty');
        const text = renderMetric(metric, [{ labels: { reason }, value: 1 }]).join('');
        expect(parsePrometheus(text).get(metric.name)?.samples[0]?.labels).toEqual({ reason });
      },
    );
  });

  test('failures of parts without which it shares on are counted by part', () => {
    const facts = { ...providingFacts, failures: { page: 2, ledger: 1 } };
    expect(parsePrometheus(render(facts)).get('tributary_failures_total')?.samples).toEqual([
      { labels: { part: 'page' }, value: 2 },
      { labels: { part: 'ledger' }, value: 1 },
    ]);
  });

  test('each source has its own sample', () => {
    const silent = { ...programSource, life: undefined, traffic: undefined };
    const families = parsePrometheus(
      render({ ...providingFacts, sources: [...providingFacts.sources, silent] }),
    );
    const read = (name: string) => families.get(`tributary_source_${name}`)?.samples;
    expect(read('alive')).toEqual([
      { labels: { source: 'wireguard' }, value: 1 },
      { labels: { source: 'program' }, value: 0 },
    ]);
    expect(read('received_bytes_total')).toEqual([
      { labels: { source: 'wireguard' }, value: 200_000_000 },
    ]);
  });

  test('a source that can tell its consumers apart has what it counts of them, by its name', () => {
    const facts = { ...providingFacts, sources: [...providingFacts.sources, consumersSource] };
    const families = parsePrometheus(render(facts));
    const read = (name: string) => families.get(`tributary_source_${name}`)?.samples;
    const one = (value: number) => [{ labels: { source: 'connect' }, value }];
    expect(read('consumers')).toEqual(one(3));
    expect(read('accepted_contracts_total')).toEqual(one(120));
    expect(read('refused_contracts_total')).toEqual([
      { labels: { source: 'connect', reason: 'bad-signature' }, value: 1 },
      { labels: { source: 'connect', reason: 'too-old' }, value: 3 },
    ]);
    expect(read('unpaid_bytes_total')).toEqual(one(1_200_000));
    expect(read('bridged_bytes_total')).toEqual(one(30_000_000));
    expect(read('doubtful_bytes_total')).toEqual(one(4_000));
    expect(read('paid_bytes')).toEqual(one(3_468_796_000));
    expect(read('overhead_bytes_total')).toEqual(one(290_000_000));
    expect(read('reports_waiting')).toEqual(one(2));
  });

  test('no counter falls where what was carried turns out to be unpaid', () => {
    const { consumers } = consumersSource;
    if (consumers === undefined) throw new Error('it has no consumers');
    const renderWith = (lost: number) => {
      const { unpaidBytes, bridgedBytes, doubtfulBytes } = consumers;
      const sums = {
        unpaidBytes: unpaidBytes + lost,
        bridgedBytes: bridgedBytes + lost,
        doubtfulBytes: doubtfulBytes + lost,
      };
      const source = { ...consumersSource, consumers: { ...consumers, ...sums } };
      return parsePrometheus(render({ ...providingFacts, sources: [source] }));
    };
    const [before, after] = [renderWith(0), renderWith(1000)];
    const counters = [...before].filter(([, { type }]) => type === 'counter');
    const fallen = counters.filter(([name, { samples }]) =>
      samples.some(({ value }, at) => (after.get(name)?.samples[at]?.value ?? 0) < value),
    );
    expect(fallen.map(([name]) => name)).toEqual([]);
  });

  test('a source with a list of providers tells how it judges this device', () => {
    const read = (name: string, source: SourceFacts = consumersSource) =>
      parsePrometheus(render({ ...providingFacts, sources: [source] })).get(
        `tributary_source_${name}`,
      )?.samples;
    const one = (value: number) => [{ labels: { source: 'connect' }, value }];
    expect(read('listed')).toEqual(one(1));
    expect(read('valid_ratio')).toEqual([
      { labels: { source: 'connect', window: '1h' }, value: 0.95 },
      { labels: { source: 'connect', window: '12h' }, value: 717 / 720 },
      { labels: { source: 'connect', window: '7d' }, value: 10_070 / 10_080 },
    ]);
    expect(read('speed_test_bytes_per_second')).toEqual(one(6_150_000));
    expect(read('last_consumer_timestamp_seconds')).toEqual(one(ago(120).getTime() / 1000));
    const { market } = consumersSource;
    const listedAs = (standing: MarketReport['standing']) =>
      read('listed', { ...consumersSource, market: market && { ...market, standing } }) ?? [];
    expect(listedAs('offline')).toEqual(one(0));
    // Where the owner's mode wants no strangers, nothing is wrong that an alert could name.
    expect(listedAs('nobody')).toEqual([]);
  });

  test('exactly one phase is 1', () => {
    const phases = parsePrometheus(render(providingFacts)).get('tributary_phase')?.samples ?? [];
    expect(phases.filter(({ value }) => value === 1)).toEqual([
      { labels: { phase: 'providing' }, value: 1 },
    ]);
    expect(phases).toHaveLength(8);
  });
});
