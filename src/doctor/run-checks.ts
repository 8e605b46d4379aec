import { toAction } from '../health/reasons.ts';
import { hasCode, messageOf, TributaryError } from '../lib/errors.ts';
import { type Check, type CheckId, type Finding, fail, type Result, skip } from './check.ts';
import type { DoctorDoors } from './doors.ts';

/** The slowest look there is waits for a service and a name server that do not answer. */
const deadlineMs = 12_000;

/** All checks at once, each within its deadline; what merely follows from another failure is laid to it. */
export async function runChecks(
  checks: readonly Check[],
  doors: DoctorDoors,
  eachWithinMs = deadlineMs,
): Promise<readonly Result[]> {
  const findings = await Promise.all(
    checks.map(async (check) => [check.id, await lookWithin(check, doors, eachWithinMs)] as const),
  );
  return layToCauses(checks, new Map(findings));
}

/** A failure whose need has failed, or follows from a failure, is that one's: one fault is one failure. */
export function layToCauses(checks: readonly Check[], findings: ReadonlyMap<CheckId, Finding>): readonly Result[] {
  const causes = new Map<CheckId, CheckId>();
  // The table is in the order of the needs, so every cause is known when it is asked for.
  return checks.map(({ id, title, needs }) => {
    const finding = findings.get(id) ?? skip('not looked at');
    if (finding.verdict !== 'fail') return { id, title, finding, becauseOf: undefined };
    const cause = needs.flatMap((need) => causes.get(need) ?? [])[0];
    causes.set(id, cause ?? id);
    if (cause === undefined) return { id, title, finding, becauseOf: undefined };
    return { id, title, finding: skip(finding.found), becauseOf: cause };
  });
}

async function lookWithin(check: Check, doors: DoctorDoors, withinMs: number): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(skip(`not finished within ${withinMs / 1000} s`)), withinMs);
  });
  try {
    return await Promise.race([check.look(doors).catch(toFinding), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** What this user may not look at is no fault; whatever else was thrown is. */
function toFinding(error: unknown): Finding {
  if (hasCode(error, 'not-running')) return skip('no agent runs here');
  if (hasCode(error, 'not-allowed', 'host-namespace')) return skip(error.message);
  const mend = error instanceof TributaryError ? toAction(error.code) : 'Report it: this is a bug in tributary.';
  return fail(messageOf(error).replace(/\s*\n\s*/g, '; '), mend);
}
