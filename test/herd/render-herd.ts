import { renderSparkline } from '../../src/lib/bars.ts';
import { type ProbesRow, probesGoal } from './probes.ts';
import { goalRatio, type HerdResult } from './run-herd.ts';

const plotWidth = 60;

/** A table with a line for each phase, and its curve below it. */
export function renderHerd({ agents, seed, windowSeconds, rows }: HerdResult): string {
  const usual = rows.find(({ phase }) => phase === 'rest')?.mean ?? 0;
  const width = Math.max(...rows.map(({ phase }) => phase.length));
  const table = rows.map(({ phase, mean, peak, ratio }) =>
    [
      phase.padEnd(width),
      String(agents).padStart(8),
      mean.toFixed(1).padStart(9),
      peak.toFixed(1).padStart(9),
      (peak / mean).toFixed(2).padStart(10),
      ratio.toFixed(2).padStart(10),
    ].join('  '),
  );
  const head = [
    'phase'.padEnd(width),
    'agents'.padStart(8),
    'mean/s'.padStart(9),
    'peak/s'.padStart(9),
    'peak/mean'.padStart(10),
    'peak/rest'.padStart(10),
  ].join('  ');
  const plots = rows.map(
    ({ phase, curve }) =>
      `${phase.padEnd(width)}  ${renderSparkline(toColumns(curve), goalRatio * usual)}`,
  );
  return [
    `seed ${seed}, peaks of ${windowSeconds} s; the goal is at most ${goalRatio} means of rest`,
    '',
    head,
    ...table,
    '',
    `the highest of each column; the full height is ${goalRatio} means of rest`,
    ...plots,
    '',
  ].join('\n');
}

/** A table of what the household's probes add. */
export function renderProbes(rows: readonly ProbesRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length), 30);
  const line = (cells: readonly string[]) =>
    cells.map((cell, place) => (place === 0 ? cell.padEnd(width) : cell.padStart(9))).join('  ');
  return [
    '',
    `connections a second by the probes of a thousand sharing devices; the goal is less than ${probesGoal}`,
    '',
    line(['devices', 'mean', 'peak']),
    ...rows.map(({ name, mean, peak }) => line([name, mean.toFixed(2), peak.toFixed(2)])),
    '',
  ].join('\n');
}

/** The highest value of each of `plotWidth` parts. */
function toColumns(curve: readonly number[]): readonly number[] {
  const count = Math.min(plotWidth, curve.length);
  return Array.from({ length: count }, (_, column) => {
    const part = curve.slice(
      Math.floor((column * curve.length) / count),
      Math.floor(((column + 1) * curve.length) / count),
    );
    return Math.max(...part);
  });
}
