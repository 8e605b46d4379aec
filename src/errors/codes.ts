import {
  CodedError,
  type CodedErrorClass,
  catchCoded,
  ignoreCoded,
  isCoded,
  rethrowAs,
} from '../lib/errors.ts';
import type { ServiceErrorCode } from '../service/errors.ts';
import type { SystemErrorCode } from '../system/errors.ts';

export { isAbort, isOfMissingPart, messageOf, systemCodeOf } from '../lib/errors.ts';

/** What a failure means for the caller of the program: each kind is one exit code. */
export type ErrorKind =
  | 'usage'
  | 'unavailable'
  | 'try-again'
  | 'not-allowed'
  | 'configuration'
  | 'refused'
  | 'output';

/** Codes of the layers below the agent, which pass through it unchanged. */
type CodeFromBelow = ServiceErrorCode | SystemErrorCode;

/**
 * Every code with which the agent or one of its commands can fail, and its kind, which decides the
 * exit code: scripts rely on these codes. The compiler asks for each code of the service's client
 * and of the system here.
 */
export const errorKinds = {
  'usage-invalid': 'usage',
  'configuration-invalid': 'configuration',
  'not-allowed': 'not-allowed',
  'missing-program': 'unavailable',
  'command-failed': 'try-again',
  'already-running': 'try-again',
  'not-running': 'unavailable',
  'state-unreadable': 'try-again',
  'state-unwritable': 'try-again',
  'signed-out': 'not-allowed',
  'sign-in-refused': 'try-again',
  'auth-code-refused': 'not-allowed',
  'insecure-url': 'configuration',
  'service-unreachable': 'unavailable',
  'service-failed': 'unavailable',
  'service-refused': 'refused',
  'not-authorized': 'not-allowed',
  'operation-not-served': 'unavailable',
  'profile-unclear': 'configuration',
  'mode-not-applied': 'refused',
  'mode-not-told': 'try-again',
  'rate-limited': 'try-again',
  'answer-redirected': 'unavailable',
  'answer-not-json': 'unavailable',
  'answer-invalid': 'unavailable',
  'answer-too-large': 'unavailable',
  'answer-truncated': 'unavailable',
  'client-limit-exceeded': 'not-allowed',
  'auth-code-limit-exceeded': 'try-again',
  'registration-incomplete': 'unavailable',
  'client-lost': 'not-allowed',
  'identity-moved': 'not-allowed',
  'wireguard-text-refused': 'unavailable',
  'list-refused': 'configuration',
  'list-lines-skipped': 'configuration',
  'outside-unknown': 'configuration',
  'connections-full': 'try-again',
  'connections-kept': 'configuration',
  'address-collision': 'configuration',
  'no-ipv6': 'configuration',
  'tunnel-failed': 'try-again',
  'engine-failed': 'try-again',
  'platform-refused': 'refused',
  'platform-unreachable': 'unavailable',
  'gateway-failed': 'try-again',
  'self-test-failed': 'try-again',
  'host-namespace': 'configuration',
  'output-failed': 'output',
} as const satisfies Readonly<Record<CodeFromBelow, ErrorKind> & Record<string, ErrorKind>>;

export type ErrorCode = keyof typeof errorKinds;

/**
 * A failure of the agent, of the service's client or of the system: see `CodedError`. `instanceof`
 * is true for all three.
 */
export const TributaryError: CodedErrorClass<ErrorCode> = CodedError;
export type TributaryError = CodedError<ErrorCode>;

/** True for a failure with one of these codes. */
export const hasCode = isCoded<ErrorCode>;
/** For `catch`: says what was being done when it failed. */
export const rethrow = rethrowAs<ErrorCode>;
/** For `catch`: resolves with a failure of these codes, or of any; throws everything else on. */
export const toFailure = catchCoded<ErrorCode>;
/** For `catch`: as `toFailure`, but resolves with undefined. */
export const toUndefined = ignoreCoded<ErrorCode>;
