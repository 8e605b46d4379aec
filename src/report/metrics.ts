import {
  readSamples,
  type Sample,
  type Statistic,
  type StatisticsInput,
} from '../health/statistic.ts';
import { statistics } from '../health/statistics.ts';

/** The statistics in Prometheus' text format, version 0.0.4. */
export function renderMetrics(input: StatisticsInput): string {
  return statistics
    .flatMap((statistic) => renderMetric(statistic, readSamples(statistic, input)))
    .join('');
}

/** One statistic with its help and type; empty without a sample. */
export function renderMetric(
  metric: Omit<Statistic, 'read'>,
  samples: readonly Sample[],
): readonly string[] {
  if (samples.length === 0) return [];
  return [
    `# HELP ${metric.name} ${escapeHelp(metric.help)}\n`,
    `# TYPE ${metric.name} ${metric.type}\n`,
    ...samples.map(({ labels, value }) => `${metric.name}${renderLabels(labels)} ${value}\n`),
  ];
}

function renderLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escapeHelp(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
