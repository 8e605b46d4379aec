import { toPlainText } from '../lib/plain-text.ts';
import { wrapText } from '../status/wrap.ts';
import type { Result } from './run-checks.ts';

/** `tributary doctor --json`. Fields are added, never changed; an absent value is null. */
export interface DoctorDocument {
  readonly checks: readonly Readonly<ReturnType<typeof toCheckDocument>>[];
  readonly failed: number;
}

export function toDoctorDocument(results: readonly Result[]): DoctorDocument {
  return { checks: results.map(toCheckDocument), failed: countFailed(results) };
}

function toCheckDocument({ id, finding, becauseOf }: Result) {
  return {
    id,
    verdict: finding.verdict,
    found: finding.found,
    /** What fixes a failure; null for the others. */
    mend: finding.verdict === 'fail' ? finding.fix : null,
    /** The failed check that this one follows from; null where it is a cause itself. */
    becauseOf: becauseOf ?? null,
  };
}

function countFailed(results: readonly Result[]): number {
  return results.filter(({ finding }) => finding.verdict === 'fail').length;
}

const titleWidth = 18;
const indent = '                        ';

/** For people: a line a check, each with its verdict, the fix below a failure, the sum last. A command is never wrapped. */
export function renderReport(results: readonly Result[], columns: number | undefined) {
  const width = columns ?? 1000;
  const titles = new Map(results.map(({ id, title }) => [id, title]));
  const lines = results.flatMap(({ title, finding, becauseOf }) => {
    const { verdict } = finding;
    const first = `${verdict.toUpperCase()}  ${title.padEnd(titleWidth)}`;
    const text = becauseOf === undefined ? finding.found : `because of “${titles.get(becauseOf)}”`;
    const wrapped = wrapText(text, { width: Math.max(width, 50), first, rest: indent });
    const found = wrapped.map((line) => ({ verdict, text: line }));
    if (finding.verdict !== 'fail') return found;
    return [...found, { verdict: undefined, text: `${indent}> ${toPlainText(finding.fix)}` }];
  });
  const failed = countFailed(results);
  const sum = failed === 0 ? 'Nothing is wrong that can be seen from here.' : `${failed} to fix.`;
  return [...lines, { verdict: undefined, text: '' }, { verdict: undefined, text: sum }];
}
