import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { findFreePort } from './free-port.ts';

export interface PrometheusOptions {
  /** `address:port` each, scraped every second under the job that the rules name. */
  readonly targets: readonly string[];
  /** Text of a file of rules, evaluated every second. */
  readonly rules: string;
}

/** A real Prometheus on loopback. */
export interface Prometheus {
  /** How many series an expression gives now. @throws what Prometheus says of a wrong one */
  countSeries(expression: string): Promise<number>;
  /** Names of the alerts that fire now. */
  firing(): Promise<readonly string[]>;
}

const result = z.object({
  status: z.literal('success'),
  data: z.object({ result: z.array(z.unknown()) }),
});
const alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.record(z.string(), z.string()) })),
  }),
});

/** Started, scraping, and gone with the test. */
export async function startPrometheus({ targets, rules }: PrometheusOptions): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-prometheus-'));
  const port = await findFreePort();
  const at = (name: string) => join(directory, name);
  writeFileSync(at('rules.yaml'), rules);
  // JSON is YAML too.
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [at('rules.yaml')],
    scrape_configs: [{ job_name: 'tributary', static_configs: [{ targets }] }],
  };
  writeFileSync(at('prometheus.yaml'), JSON.stringify(config));
  const argv = [`--config.file=${at('prometheus.yaml')}`, `--storage.tsdb.path=${at('data')}`];
  const running = spawn(
    'prometheus',
    [...argv, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const exited = once(running, 'exit');
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await exited;
    rmSync(directory, { recursive: true, force: true });
  });
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return JSON.parse(text);
  };
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/-/ready`), {
    timeout: 60_000,
    interval: 100,
  });
  return {
    async countSeries(expression) {
      const answer = await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return result.parse(answer).data.result.length;
    },
    async firing() {
      const { data } = alerts.parse(await ask('/api/v1/alerts'));
      return data.alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels.alertname ?? '');
    },
  };
}
