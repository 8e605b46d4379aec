import type { Facts } from '../../health/facts.ts';
import type { Problem } from '../../health/problem.ts';
import type { Registration } from '../../identity/registration-files.ts';
import type { Secret } from '../../lib/secret.ts';

/** What is known of the conversation with the service. Where a field is absent, nothing is yet. */
export interface ServiceState {
  /** The device's own, else its owner's; undefined signed out, and before the first sign-in. */
  token?: Secret | undefined;
  /** When the token in use ends, and whether its owner has to do something about it. */
  signIn?: Facts['signIn'] | undefined;
  registration?: Registration | undefined;
  /** Other clients that the service lists with the marker of this installation. */
  secondClient?: Facts['secondClient'];
  renewSeconds?: number | undefined;
  nextRenewalAt?: Date | undefined;
  stateProblem?: Problem | undefined;
  signInProblem?: Problem | undefined;
  registrationProblem?: Problem | undefined;
  /**
   * Since when the token was only refused, by `performance.now()`; undefined if the last answer was
   * another.
   */
  refusedSinceMs?: number | undefined;
  problem?: Problem | undefined;
}
