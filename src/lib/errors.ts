/**
 * Every kind of failure that leaves a module. Codes are stable: scripts, `status` and exit codes rely on them.
 * Adding one here makes the compiler ask `cli/exit-code.ts` for its exit code and `health/reasons.ts` for what to do.
 */
export type ErrorCode =
  | 'usage-invalid'
  | 'configuration-invalid'
  | 'not-allowed'
  | 'missing-program'
  | 'command-failed'
  | 'already-running'
  | 'not-running'
  | 'state-unreadable'
  | 'state-unwritable'
  | 'signed-out'
  | 'auth-code-refused'
  | 'insecure-url'
  | 'service-unreachable'
  | 'service-failed'
  | 'service-refused'
  | 'not-authorized'
  | 'operation-not-served'
  | 'profile-unclear'
  | 'rate-limited'
  | 'answer-redirected'
  | 'answer-not-json'
  | 'answer-invalid'
  | 'answer-too-large'
  | 'answer-truncated'
  | 'client-limit-exceeded'
  | 'auth-code-limit-exceeded'
  | 'registration-incomplete'
  | 'identity-moved'
  | 'wireguard-text-refused'
  | 'list-refused'
  | 'outside-unknown'
  | 'address-collision'
  | 'no-ipv6'
  | 'tunnel-failed'
  | 'gateway-failed'
  | 'self-test-failed'
  | 'host-namespace'
  | 'lab-failed';

/** The one error class. The message says what was being done and never holds a secret. */
export class TributaryError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which the other side allows another try; undefined where it said nothing. */
  readonly retryAfterSeconds: number | undefined;
  /** False where a request surely had no effect on the service, true where it may have had; undefined elsewhere. */
  readonly maybeSent: boolean | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly retryAfterSeconds?: number | undefined;
      readonly maybeSent?: boolean | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TributaryError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.maybeSent = options.maybeSent;
  }
}

/** True for an error that only says that its signal was aborted. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** True for a TributaryError with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is TributaryError {
  return error instanceof TributaryError && codes.includes(error.code);
}

/** The message of anything thrown, for a log line or a reason. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For `catch`: says what was being done when it failed. */
export function rethrow(code: ErrorCode, doing: string): (cause: unknown) => never {
  return (cause) => {
    throw new TributaryError(code, `${doing}: ${messageOf(cause)}`, { cause });
  };
}

/** The system's error code (`ENOENT`, …) of anything thrown; undefined where it has none. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && !(error instanceof TributaryError) ? code : undefined;
}
