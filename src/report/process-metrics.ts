import { renderMetric } from './metrics.ts';

/** What the agent's process took; a figure is undefined where it cannot be read. */
export interface ProcessFigures {
  readonly startedAt: Date;
  /** User and system time together. */
  readonly cpuSeconds: number;
  readonly residentBytes: number | undefined;
  readonly openFiles: number | undefined;
  readonly mostFiles: number | undefined;
}

/**
 * The names that Prometheus' own clients give these figures, so that dashboards made for any
 * program find them here too.
 */
export function renderProcessMetrics(figures: ProcessFigures): string {
  return [
    counter('process_cpu_seconds_total', 'User and system time.', figures.cpuSeconds),
    gauge('process_resident_memory_bytes', 'Resident memory.', figures.residentBytes),
    gauge(
      'process_start_time_seconds',
      'Unix time at which the process started.',
      figures.startedAt.getTime() / 1000,
    ),
    gauge('process_open_fds', 'Open file descriptors.', figures.openFiles),
    gauge('process_max_fds', 'Most file descriptors that may be open.', figures.mostFiles),
  ].join('');
}

const counter = (name: string, help: string, value: number) => render('counter', name, help, value);

const gauge = (name: string, help: string, value: number | undefined) =>
  render('gauge', name, help, value);

function render(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: number | undefined,
): string {
  const samples = value === undefined ? [] : [{ labels: {}, value }];
  return renderMetric({ name, help, type, unit: 'none' }, samples).join('');
}
