import { expect, test } from 'vitest';
import { toStatistic } from '../../../src/health/statistic.ts';
import { statistics } from '../../../src/health/statistics.ts';

test.each([
  ['tributary_gateway_open', 'gauge', 'none'],
  ['tributary_usage_bytes', 'gauge', 'bytes'],
  ['tributary_tunnel_sent_bytes_total', 'counter', 'bytes'],
  ['tributary_line_limit_bytes_per_second', 'gauge', 'bytes per second'],
  ['tributary_service_uptime_day_seconds', 'gauge', 'seconds'],
  ['tributary_gateway_refused_packets_total', 'counter', 'packets'],
  ['tributary_service_payout_usdc', 'gauge', 'usdc'],
])('%s is a %s in %s, as its name says', (name, type, unit) => {
  expect(statistics.map((statistic) => statistic.name)).toContain(name);
  expect(toStatistic([name, { help: '', read: () => 1 }])).toMatchObject({ name, type, unit });
});
