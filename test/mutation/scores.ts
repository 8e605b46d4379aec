import { relative } from 'node:path';
import type { Stryker } from '@stryker-mutator/core';

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** What was done to a folder, and how much of it was noticed. */
export function renderScores(results: readonly MutantResult[]): string {
  const byFolder = Map.groupBy(
    results,
    ({ fileName }) => relative('src', fileName).split('/')[0] ?? '',
  );
  const rows = [...byFolder, ['together', results] as const].map(([name, mutants]) =>
    renderRow(name, mutants),
  );
  const survivors = results
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(renderSurvivor);
  return `${survivors.join('\n')}\n\n${header}\n${rows.join('\n')}\n`;
}

const columns = ['killed', 'timeout', 'survived', 'uncovered', 'score'] as const;
const header = `${''.padEnd(12)}${columns.map((name) => name.padStart(11)).join('')}`;

function renderRow(name: string, mutants: readonly MutantResult[]): string {
  const count = (wanted: MutantResult['status']) =>
    mutants.filter(({ status }) => status === wanted).length;
  const [killed, timeout, survived, uncovered] = [
    count('Killed'),
    count('Timeout'),
    count('Survived'),
    count('NoCoverage'),
  ];
  const caught = killed + timeout;
  const score = `${((100 * caught) / (caught + survived + uncovered)).toFixed(1)} %`;
  return `${name.padEnd(12)}${[killed, timeout, survived, uncovered, score].map((cell) => String(cell).padStart(11)).join('')}`;
}

function renderSurvivor({
  fileName,
  location,
  mutatorName,
  replacement,
  status,
}: MutantResult): string {
  const place = `${relative('.', fileName)}:${location.start.line}:${location.start.column}`;
  const text = (replacement ?? '').replace(/\s+/g, ' ').slice(0, 100);
  return `${place} ${mutatorName} → ${text}${status === 'NoCoverage' ? ' (not run by any test)' : ''}`;
}
