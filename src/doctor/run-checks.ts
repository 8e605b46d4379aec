import { hasCode, messageOf, TributaryError, toUndefined } from '../errors/codes.ts';
import { findAction } from '../health/reasons.ts';
import { namePatienceMs } from '../lib/connect-in-turn.ts';
import { sleep } from '../lib/sleep.ts';
import { listSources } from '../source/drivers.ts';
import { type Finding, fail, skip } from './check.ts';
import type { Check, CheckId } from './checks.ts';
import type { DoctorHost } from './host.ts';

/** A check's finding. */
export interface Result {
  readonly id: CheckId;
  readonly title: string;
  readonly finding: Finding;
  /** The failed check from which this one's failure follows; the finding is `skip` then. */
  readonly becauseOf: CheckId | undefined;
}

/**
 * In ms. The slowest check waits for name servers of which only the last one answers, and then for
 * a service that does not. Where everything answers, nothing waits for it.
 */
const deadlineMs: number = namePatienceMs + 12_000;

/**
 * Runs all checks at once, each within its deadline. A failure that follows from another names it
 * as its cause.
 */
export async function runChecks(
  checks: readonly Check[],
  host: DoctorHost,
  eachWithinMs = deadlineMs,
): Promise<readonly Result[]> {
  const findings = await Promise.all(
    checks.map(async (check) => [check.id, await lookWithin(check, host, eachWithinMs)] as const),
  );
  return assignCauses(checks, new Map(findings));
}

/**
 * A failure or a warning is a consequence if one of the checks that it needs failed too. So one
 * fault is reported as one failure. A warning is no cause.
 */
export function assignCauses(
  checks: readonly Check[],
  findings: ReadonlyMap<CheckId, Finding>,
): readonly Result[] {
  const causes = new Map<CheckId, CheckId>();
  // The table is in the order of the needs, so the cause is always known already.
  return checks.map(({ id, title, needs }) => {
    const finding = findings.get(id) ?? skip('not looked at');
    const isBad = finding.verdict === 'fail' || finding.verdict === 'warn';
    const cause = isBad ? needs.flatMap((need) => causes.get(need) ?? [])[0] : undefined;
    if (finding.verdict === 'fail') causes.set(id, cause ?? id);
    return {
      id,
      title,
      finding: cause === undefined ? finding : skip(finding.found),
      becauseOf: cause,
    };
  });
}

async function lookWithin(check: Check, host: DoctorHost, withinMs: number): Promise<Finding> {
  const looked = new AbortController();
  const late = sleep(withinMs, looked.signal).then(() =>
    skip(`not finished within ${withinMs / 1000} s`),
  );
  return Promise.race([look(check, host).catch(toFinding), late]).finally(() => looked.abort());
}

async function look({ source, look: lookAtIt }: Check, host: DoctorHost): Promise<Finding> {
  if (source === undefined) return lookAtIt(host);
  // A configuration that cannot be read is a failure of its own, and says nothing of sources.
  const loaded = await host.configuration().catch(toUndefined());
  const isAskedFor =
    loaded === undefined || listSources(loaded.config).some(({ name }) => name === source);
  return isAskedFor ? lookAtIt(host) : skip(`the configuration asks for no ${source}`);
}

/** What this user may not see is no fault; any other error is one. */
function toFinding(error: unknown): Finding {
  if (hasCode(error, 'not-running')) return skip('no agent runs here');
  if (hasCode(error, 'not-allowed', 'host-namespace')) return skip(error.message);
  const fix =
    error instanceof TributaryError
      ? findAction(error.code)
      : 'Report it: this is a bug in tributary.';
  return fail(messageOf(error).replace(/\s*\n\s*/g, '; '), fix);
}
