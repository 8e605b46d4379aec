import { notSetUp } from '../config/problems.ts';
import { toPlainText } from '../lib/plain-text.ts';
import { wrapText } from '../status/wrap.ts';
import type { Finding } from './check.ts';
import type { CheckId } from './checks.ts';
import type { Result } from './run-checks.ts';

/** `tributary doctor --json`. Fields may be added but never change; an absent value is null. */
export interface DoctorDocument {
  readonly checks: readonly DoctorRow[];
  /** How many checks have the verdict `fail`. */
  readonly failed: number;
}

interface DoctorRow {
  readonly id: CheckId;
  readonly verdict: Finding['verdict'];
  readonly found: string;
  /** What fixes a failure or a warning; null for other verdicts. */
  readonly mend: string | null;
  /** The failed check from which this one follows; null without one. */
  readonly becauseOf: CheckId | null;
}

export function toDoctorDocument(results: readonly Result[]): DoctorDocument {
  const checks = results.map(({ id, finding, becauseOf = null }) => {
    const { verdict, found } = finding;
    return { id, verdict, found, mend: 'fix' in finding ? finding.fix : null, becauseOf };
  });
  return { checks, failed: count(results, 'fail') };
}

/** Before a device is set up, what is not known yet would only hide what to do first. */
function chooseTold(results: readonly Result[]): readonly Result[] {
  const isSetUp = results.every(({ finding }) => finding.found !== notSetUp);
  return isSetUp ? results : results.filter(({ finding }) => finding.verdict === 'fail');
}

function count(results: readonly Result[], verdict: Finding['verdict']): number {
  return results.filter(({ finding }) => finding.verdict === verdict).length;
}

const titleWidth = 18;

/**
 * The report for people: a line for each check with its verdict, the fix below a failure or a
 * warning, the sum at the end. Commands are never wrapped.
 */
export function renderReport(
  results: readonly Result[],
  columns: number | undefined,
): readonly string[] {
  const titles = new Map(results.map(({ id, title }) => [id, title]));
  const lines = chooseTold(results).flatMap(({ title, finding, becauseOf }) => {
    const first = `${finding.verdict.toUpperCase()}  ${title.padEnd(titleWidth)}`;
    const text =
      becauseOf === undefined ? finding.found : `follows from “${titles.get(becauseOf)}”`;
    const found = wrapText(text, { width: Math.max(columns ?? 1000, 50), first });
    return 'fix' in finding
      ? [...found, `${' '.repeat(first.length)}> ${toPlainText(finding.fix)}`]
      : found;
  });
  const [failed, warned] = [count(results, 'fail'), count(results, 'warn')];
  const sum = failed === 0 ? 'No problem found' : `${tell(failed, 'problem')} to fix`;
  return [...lines, '', `${sum}${warned === 0 ? '' : `, ${tell(warned, 'warning')}`}.`];
}

const tell = (amount: number, what: string) => `${amount} ${what}${amount === 1 ? '' : 's'}`;
