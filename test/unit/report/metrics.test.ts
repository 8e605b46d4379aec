import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { toPhase } from '../../../src/health/phase.ts';
import { renderMetric, renderMetrics } from '../../../src/report/metrics.ts';
import { metrics } from '../../../src/report/metrics-table.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { freshFacts, now, providingFacts } from '../health/sample-facts.ts';
import { assertLaw } from '../law.ts';
import { parsePrometheus } from './parse-prometheus.ts';

/** What has no unit: states, 0 or 1. */
const states = [
  'tributary_build_info',
  'tributary_phase',
  'tributary_reason',
  'tributary_provide_mode',
  'tributary_service_reachable',
  'tributary_gateway_open',
];
/** What only grows. */
const counters = [
  'tributary_tunnel_received_bytes_total',
  'tributary_tunnel_sent_bytes_total',
  'tributary_gateway_forwarded_bytes_total',
  'tributary_gateway_refused_packets_total',
];

const render = (facts: Facts) => renderMetrics({ facts, report: toPhase(facts, now) });

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
    assertLaw(fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', 'a', '{', '}', ',') }), (reason) => {
      const [metric] = metrics;
      if (metric === undefined) throw new Error('the table is empty');
      const text = renderMetric(metric, [{ labels: { reason }, value: 1 }]).join('');
      expect(parsePrometheus(text).get(metric.name)?.samples[0]?.labels).toEqual({ reason });
    });
  });

  test.each(metrics)('$name is named after its unit and type', ({ name }) => {
    if (!states.includes(name)) expect(name).toMatch(/_(bytes|seconds|packets|usdc)(_total)?$/);
    const text = renderMetric({ name, help: 'Help.' }, [{ labels: {}, value: 1 }]).join('');
    expect(parsePrometheus(text).get(name)?.type).toBe(counters.includes(name) ? 'counter' : 'gauge');
  });

  test('exactly one phase is 1', () => {
    const phases = parsePrometheus(render(providingFacts)).get('tributary_phase')?.samples ?? [];
    expect(phases.filter(({ value }) => value === 1)).toEqual([{ labels: { phase: 'providing' }, value: 1 }]);
    expect(phases).toHaveLength(8);
  });
});
