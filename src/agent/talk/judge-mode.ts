import { TributaryError } from '../../errors/codes.ts';
import type { Problem } from '../../health/problem.ts';
import { minuteMs } from '../../lib/units.ts';
import type { ProvideMode } from '../../service/profiles.ts';

/** True where the problem is over as soon as the service has the mode that is wanted. */
export function isAboutMode(problem: Problem | undefined): boolean {
  return problem?.code === 'mode-not-applied' || problem?.code === 'mode-not-told';
}

/** The error for a mode that the service is told later, so that its consumers come later. */
export function createWaitingError({ desired, confirmed, waitMs }: Waiting): TributaryError {
  const has = confirmed === undefined ? 'has confirmed no mode' : `still has ${confirmed}`;
  const minutes = Math.ceil(waitMs / minuteMs);
  const [time, why] =
    minutes === 1
      ? ['within a minute', 'a mode for more people goes out once a minute at most']
      : [`within ${minutes} minutes`, 'devices do not all tell it in the same moment'];
  const message = `the service ${has}, and is told ${desired} ${time}: ${why}`;
  return new TributaryError('mode-not-told', message);
}

export interface Waiting {
  readonly desired: ProvideMode;
  readonly confirmed: ProvideMode | undefined;
  readonly waitMs: number;
}

/** The error for another mode than was asked for; undefined where the service did not say. */
export function judgeApplied(
  asked: ProvideMode,
  applied: ProvideMode | undefined,
): TributaryError | undefined {
  if (applied === undefined || applied === asked) return undefined;
  const message = `the service was asked for mode ${asked} and has ${applied}`;
  return new TributaryError('mode-not-applied', message);
}
