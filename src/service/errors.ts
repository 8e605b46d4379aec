import { CodedError, isCoded } from '../lib/errors.ts';

/**
 * Each way in which a call to the service can fail; `docs/development/service.md` says what each
 * means.
 */
export const serviceErrorCodes = [
  // Nothing was sent: the address, the request or the token must not or cannot be.
  'configuration-invalid',
  'insecure-url',
  'usage-invalid',
  'signed-out',
  // No answer of the service came.
  'service-unreachable',
  'answer-redirected',
  'answer-not-json',
  // The service answered, and said no.
  'service-failed',
  'service-refused',
  'not-authorized',
  'auth-code-refused',
  'operation-not-served',
  'rate-limited',
  'client-limit-exceeded',
  'auth-code-limit-exceeded',
  // An answer came that cannot be used.
  'answer-invalid',
  'answer-too-large',
  'answer-truncated',
] as const;
export type ServiceErrorCode = (typeof serviceErrorCodes)[number];

/**
 * The one error that the client throws, but for an `AbortError` where the caller's signal aborted.
 * `code` says what failed, and `message` says what was being done; neither holds a secret.
 * `maybeSent` is false where the request surely had no effect. `retryAfterSeconds` is there where
 * the service named a time.
 */
export class ServiceError extends CodedError<ServiceErrorCode> {}

/** True for a failure of the client with one of these codes. */
export function hasCode(
  error: unknown,
  ...codes: readonly ServiceErrorCode[]
): error is ServiceError {
  return isCoded(error, ...codes);
}
