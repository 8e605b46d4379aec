import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { renderProcessMetrics } from '../../../src/report/process-metrics.ts';
import { parseMostFiles, readProcessFigures } from '../../../src/system/process-figures.ts';
import { parsePrometheus } from './parse-prometheus.ts';

const startedAt = new Date('2026-03-14T12:00:00.500Z');

test('the process has the metrics that every program of Prometheus has, by their names', () => {
  const families = parsePrometheus(renderProcessMetrics(readProcessFigures(), startedAt));
  expect([...families].map(([name, { type }]) => [name, type])).toEqual([
    ['process_cpu_seconds_total', 'counter'],
    ['process_resident_memory_bytes', 'gauge'],
    ['process_start_time_seconds', 'gauge'],
    ['process_open_fds', 'gauge'],
    ['process_max_fds', 'gauge'],
  ]);
  const read = (name: string) => families.get(`process_${name}`)?.samples[0]?.value ?? Number.NaN;
  expect(read('cpu_seconds_total')).toBeLessThanOrEqual(readProcessFigures().cpuSeconds);
  expect(read('resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(read('start_time_seconds')).toBe(startedAt.getTime() / 1000);
  expect(read('open_fds')).toBeGreaterThan(2);
  expect(read('open_fds')).toBeLessThan(read('max_fds'));
});

test('a figure that cannot be read is left out', () => {
  const none = { residentBytes: undefined, openFiles: undefined, mostFiles: undefined };
  const families = parsePrometheus(renderProcessMetrics({ cpuSeconds: 1.5, ...none }, startedAt));
  expect([...families.keys()]).toEqual(['process_cpu_seconds_total', 'process_start_time_seconds']);
});

test('the most files are the soft limit, where it is limited', async () => {
  expect(
    parseMostFiles('Max open files            1024                 524288               files'),
  ).toBe(1024);
  expect(
    parseMostFiles('Max open files            unlimited            unlimited            files'),
  ).toBeUndefined();
  expect(parseMostFiles(await readFile('/proc/self/limits', 'utf8'))).toBeGreaterThan(0);
});
