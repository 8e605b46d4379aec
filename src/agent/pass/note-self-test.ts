import type { SelfTest } from '../../data-path/self-test.ts';
import { TributaryError } from '../../errors/codes.ts';
import type { SelfTestFacts } from '../../health/facts.ts';
import { continueProblem, type Problem } from '../../health/problem.ts';
import type { AgentState } from '../state.ts';

/** What the self-tests of the fence showed. */
export interface SelfTestState extends SelfTestFacts {
  /** How many self-tests in a row could not be judged. */
  readonly unclearTimes: number;
}

/** The result of the probes. `isOutdated` if the rules that they met were replaced meanwhile. */
export type Tested = NonNullable<ReturnType<SelfTest['review']>> & { readonly isOutdated: boolean };

/**
 * After a tunnel's device was made, or rules were repaired, the filter that turns probes round is
 * in place at the next self-test. So this many failures in a row are needed.
 */
const patience = 3;

export function noteSelfTest(
  before: SelfTestState | undefined,
  result: Tested,
  now: Date,
): SelfTestState | undefined {
  const problem = (then: Problem | undefined, message: string) =>
    continueProblem(then, new TributaryError('self-test-failed', message), now);
  const failures = before?.failures ?? 0;
  const held: SelfTestState = {
    lastHeldAt: now,
    failures,
    failure: undefined,
    note: undefined,
    unclearTimes: 0,
  };
  if (result.kind === 'held') return held;
  // The probes were lost in rules of another program, so they show nothing about ours.
  if (result.isOutdated && result.kind !== 'leaking') return before;
  const names = [
    ...new Set(result.probes.map(({ name, family }) => `${name} (IPv${family})`)),
  ].join(', ');
  const lastHeldAt = before?.lastHeldAt;
  const fail = (message: string) => ({
    ...held,
    lastHeldAt,
    failures: failures + 1,
    failure: problem(before?.failure, message),
  });
  const warn = (message: string) => ({ ...held, note: problem(before?.note, message) });
  const unclearTimes = (before?.unclearTimes ?? 0) + 1;
  const isUnclear = (result.isOutdated || result.kind === 'lost') && unclearTimes < patience;
  if (isUnclear) {
    const { failure, note } = before ?? { failure: undefined, note: undefined };
    return { lastHeldAt, failures, failure, note, unclearTimes };
  }
  if (result.kind === 'leaking')
    return fail(`test packets from the tunnel to ${names} were not refused`);
  if (result.kind === 'stuck') {
    return warn(
      `test packets from the tunnel to ${names} are refused on this device, so consumers' may be too`,
    );
  }
  if (lastHeldAt !== undefined) {
    return {
      ...fail(`test packets that came in through the tunnel have vanished, to ${names}`),
      unclearTimes,
    };
  }
  const message =
    "the firewall cannot be tried here: the kernel does not turn packets round on the tunnel's device";
  return { ...warn(message), lastHeldAt, unclearTimes };
}

/** True where there is something to test and the next self-test should not wait. */
export function hasDueTest({
  observed,
  selfTest,
}: Pick<AgentState['path'], 'observed' | 'selfTest'>): boolean {
  if (observed === undefined || observed.probes.length === 0) return false;
  return isSelfTestDue(selfTest);
}

/** True before the first verdict, and while another try may bring one. */
export function isSelfTestDue(state: SelfTestState | undefined): boolean {
  return state === undefined || (state.unclearTimes > 0 && state.unclearTimes < patience);
}
