import type { SelfTestResult } from '../data-path/self-test.ts';
import type { SelfTestFacts } from '../health/facts.ts';
import { continueProblem, type Problem } from '../health/problem.ts';
import { TributaryError } from '../lib/errors.ts';

/** How the fence did when it was tried. */
export interface SelfTestState extends SelfTestFacts {
  /** Times in a row that no verdict was possible. */
  readonly lostTimes: number;
}

/** A filter on the tunnel's device that was just made is there at the next test. */
const patience = 3;

export function noteSelfTest(before: SelfTestState | undefined, result: SelfTestResult, now: Date): SelfTestState {
  const problem = (then: Problem | undefined, message: string) =>
    continueProblem(then, new TributaryError('self-test-failed', message), now);
  const held: SelfTestState = { lastHeldAt: now, failure: undefined, note: undefined, lostTimes: 0 };
  if (result.kind === 'held') return held;
  const names = [...new Set(result.probes.map(({ name, family }) => `${name} (IPv${family})`))].join(', ');
  const lastHeldAt = before?.lastHeldAt;
  const fail = (message: string) => ({ ...held, lastHeldAt, failure: problem(before?.failure, message) });
  const warn = (message: string) => ({ ...held, note: problem(before?.note, message) });
  if (result.kind === 'leaking') return fail(`test packets from the tunnel to ${names} were not refused`);
  if (result.kind === 'stuck') {
    return warn(`test packets from the tunnel to ${names} are refused on this device, so consumers' may be too`);
  }
  const lostTimes = (before?.lostTimes ?? 0) + 1;
  if (lostTimes < patience) return { lastHeldAt, failure: before?.failure, note: before?.note, lostTimes };
  if (lastHeldAt !== undefined) {
    return { ...fail(`test packets that came in through the tunnel have vanished, to ${names}`), lostTimes };
  }
  const message = "the firewall cannot be tried here: the kernel does not turn packets round on the tunnel's device";
  return { ...warn(message), lastHeldAt, lostTimes };
}

/** True where the next self-test is not to wait. */
export function isSelfTestDue(state: SelfTestState | undefined): boolean {
  return state === undefined || (state.lostTimes > 0 && state.lostTimes < patience);
}
