import { type Metric, type MetricsInput, metrics, type Sample } from './metrics-table.ts';

/** The statistics in Prometheus' text format, version 0.0.4. */
export function renderMetrics(input: MetricsInput): string {
  return metrics.flatMap((metric) => renderMetric(metric, toSamples(metric.read(input)))).join('');
}

/** One statistic with its help and type, a counter where its name says so; nothing at all without a sample. */
export function renderMetric(metric: Omit<Metric, 'read'>, samples: readonly Sample[]): readonly string[] {
  if (samples.length === 0) return [];
  return [
    `# HELP ${metric.name} ${escapeHelp(metric.help)}\n`,
    `# TYPE ${metric.name} ${metric.name.endsWith('_total') ? 'counter' : 'gauge'}\n`,
    ...samples.map(({ labels, value }) => `${metric.name}${renderLabels(labels)} ${renderValue(value)}\n`),
  ];
}

function toSamples(read: ReturnType<Metric['read']>): readonly Sample[] {
  if (read === undefined) return [];
  return typeof read === 'number' ? [{ labels: {}, value: read }] : read;
}

function renderLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function renderValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
