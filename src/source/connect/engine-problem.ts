import { type ErrorCode, TributaryError } from '../../errors/codes.ts';
import type { ProblemCode } from './protocol.ts';

/**
 * What each problem of the engine is for the owner. A token that is refused is renewed by the
 * agent, and where that fails the service says why.
 */
const codes: Readonly<Record<ProblemCode, ErrorCode>> = {
  'line-refused': 'engine-failed',
  'device-unavailable': 'engine-failed',
  'token-refused': 'platform-unreachable',
  'version-refused': 'platform-refused',
  'tls-refused': 'platform-refused',
  'platform-unreachable': 'platform-unreachable',
  'platform-refused': 'platform-unreachable',
};

/** The engine's own words, with the code that `status` shows. */
export function toSourceProblem(code: ProblemCode, message: string): TributaryError {
  return new TributaryError(codes[code], message);
}
