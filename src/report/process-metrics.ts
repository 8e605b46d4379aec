import type { ProcessFigures } from '../system/process-figures.ts';
import { renderMetric } from './metrics.ts';

/**
 * The names that Prometheus' own clients give these figures, so that dashboards made for any
 * program find them here too.
 */
export function renderProcessMetrics(figures: ProcessFigures, startedAt: Date): string {
  const rows = {
    process_cpu_seconds_total: ['User and system time.', figures.cpuSeconds],
    process_resident_memory_bytes: ['Resident memory.', figures.residentBytes],
    process_start_time_seconds: [
      'Unix time at which the process started.',
      startedAt.getTime() / 1000,
    ],
    process_open_fds: ['Open file descriptors.', figures.openFiles],
    process_max_fds: ['Most file descriptors that may be open.', figures.mostFiles],
  } as const;
  return Object.entries(rows)
    .flatMap(([name, [help, value]]) => {
      const samples = value === undefined ? [] : [{ labels: {}, value }];
      const type = name.endsWith('_total') ? 'counter' : 'gauge';
      return renderMetric({ name, help, type, unit: 'none' }, samples);
    })
    .join('');
}
