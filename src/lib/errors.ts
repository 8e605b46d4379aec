/**
 * Every failure that leaves a module, and its kind, which decides the exit code: scripts rely on
 * these codes.
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
  'rate-limited': 'try-again',
  'answer-redirected': 'unavailable',
  'answer-not-json': 'unavailable',
  'answer-invalid': 'unavailable',
  'answer-too-large': 'unavailable',
  'answer-truncated': 'unavailable',
  'client-limit-exceeded': 'not-allowed',
  'auth-code-limit-exceeded': 'try-again',
  'registration-incomplete': 'unavailable',
  'identity-moved': 'not-allowed',
  'wireguard-text-refused': 'unavailable',
  'list-refused': 'configuration',
  'outside-unknown': 'configuration',
  'address-collision': 'configuration',
  'no-ipv6': 'configuration',
  'tunnel-failed': 'try-again',
  'gateway-failed': 'try-again',
  'self-test-failed': 'try-again',
  'host-namespace': 'configuration',
  'lab-failed': 'try-again',
  'output-failed': 'output',
} as const satisfies Readonly<Record<string, ErrorKind>>;

export type ErrorKind =
  | 'usage'
  | 'unavailable'
  | 'try-again'
  | 'not-allowed'
  | 'configuration'
  | 'refused'
  | 'output';
export type ErrorCode = keyof typeof errorKinds;

/** The one error class. The message says what was being done and never holds a secret. */
export class TributaryError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which the other side allows another try; undefined where it did not say. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * False where a request surely had no effect on the service, true where it may have had one;
   * undefined for errors of anything else.
   */
  readonly maybeSent: boolean | undefined;
  /**
   * What to do about it, where more is known than the code tells; an empty text means that there is
   * nothing to do.
   */
  readonly action: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown } & Partial<
      Pick<TributaryError, 'retryAfterSeconds' | 'maybeSent' | 'action'>
    > = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TributaryError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.maybeSent = options.maybeSent;
    this.action = options.action;
  }
}

/** True for an error that only says that its signal was aborted. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

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

/**
 * For `catch`: resolves with undefined for an error with one of these codes, or for every
 * TributaryError if no code is named; throws others on.
 */
export function toUndefined(...codes: readonly ErrorCode[]): (error: unknown) => undefined {
  return (error) => void toFailure(...codes)(error);
}

/**
 * For `catch`: resolves with the error where `toUndefined` would give undefined; throws others on.
 */
export function toFailure(...codes: readonly ErrorCode[]): (error: unknown) => TributaryError {
  return (error) => {
    if (error instanceof TributaryError && (codes.length === 0 || codes.includes(error.code)))
      return error;
    throw error;
  };
}

/** The system's error code (`ENOENT`, …) of anything thrown; undefined without one. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && !(error instanceof TributaryError) ? code : undefined;
}
