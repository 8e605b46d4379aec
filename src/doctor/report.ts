import { toPlainText } from '../lib/plain-text.ts';
import { wrapText } from '../status/wrap.ts';
import type { Result } from './run-checks.ts';

/** `tributary doctor --json`. Fields are added, never changed; an absent value is null. */
export function toDoctorDocument(results: readonly Result[]) {
  const checks = results.map(({ id, finding: { verdict, found, ...more }, becauseOf = null }) => {
    // What fixes a failure, and the failed check that this one follows from; null for the others.
    return { id, verdict, found, mend: 'fix' in more ? more.fix : null, becauseOf } as const;
  });
  return { checks, failed: countFailed(results) };
}

function countFailed(results: readonly Result[]): number {
  return results.filter(({ finding }) => finding.verdict === 'fail').length;
}

const titleWidth = 18;

/**
 * For people: a line a check, each with its verdict, the fix below a failure, the sum last. A
 * command is never wrapped.
 */
export function renderReport(
  results: readonly Result[],
  columns: number | undefined,
): readonly string[] {
  const titles = new Map(results.map(({ id, title }) => [id, title]));
  const lines = results.flatMap(({ title, finding, becauseOf }) => {
    const first = `${finding.verdict.toUpperCase()}  ${title.padEnd(titleWidth)}`;
    const text =
      becauseOf === undefined ? finding.found : `follows from “${titles.get(becauseOf)}”`;
    const found = wrapText(text, { width: Math.max(columns ?? 1000, 50), first });
    return finding.verdict === 'fail'
      ? [...found, `${' '.repeat(first.length)}> ${toPlainText(finding.fix)}`]
      : found;
  });
  const failed = countFailed(results);
  const sum =
    failed === 0
      ? 'No problem found.'
      : `${failed} ${failed === 1 ? 'problem' : 'problems'} to fix.`;
  return [...lines, '', sum];
}
