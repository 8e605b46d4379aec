/** What may be said of a failure beside its code and message; each is undefined where unknown. */
export interface FailureDetails {
  /** Seconds after which the other side allows another try. */
  readonly retryAfterSeconds?: number | undefined;
  /** False where a request surely had no effect on the service, true where it may have had. */
  readonly maybeSent?: boolean | undefined;
  /** What to do about it, where more is known than the code; empty: nothing. */
  readonly action?: string | undefined;
}

/**
 * Every failure that leaves a module of ours. The code is stable, so that programs can rely on it;
 * the message says what was being done and never holds a secret. Each product has codes of its own
 * and names this class with them: `ServiceError`, `SystemError`, `SandboxError`, `TributaryError`.
 * A failure that one of them throws keeps its code on its way up through the others.
 */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  readonly retryAfterSeconds: FailureDetails['retryAfterSeconds'];
  readonly maybeSent: FailureDetails['maybeSent'];
  readonly action: FailureDetails['action'];

  constructor(
    code: Code,
    message: string,
    options: { readonly cause?: unknown } & FailureDetails = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.maybeSent = options.maybeSent;
    this.action = options.action;
  }
}

/**
 * The class as one product has it: it is made with that product's codes alone. `instanceof` is true
 * for every coded failure, because a product lists the codes of the layers below it among its own.
 */
export interface CodedErrorClass<Code extends string> {
  new (...args: ConstructorParameters<typeof CodedError<Code>>): CodedError<Code>;
  readonly prototype: CodedError<Code>;
}

/**
 * True for a failure with one of these codes. Like the three functions below, it is for any codes;
 * a product hands it on for its own.
 */
export function isCoded<Code extends string>(
  error: unknown,
  ...codes: readonly Code[]
): error is CodedError<Code> {
  return error instanceof CodedError && codes.includes(error.code as Code);
}

/** For `catch`: says what was being done when it failed. */
export function rethrowAs<Code extends string>(
  code: Code,
  doing: string,
): (cause: unknown) => never {
  return (cause) => {
    throw new CodedError(code, `${doing}: ${messageOf(cause)}`, { cause });
  };
}

/**
 * For `catch`: resolves with a failure that has one of these codes or, where none is named, any
 * code; throws everything else on.
 */
export function catchCoded<Code extends string>(
  ...codes: readonly Code[]
): (error: unknown) => CodedError<Code> {
  return (error) => {
    if (error instanceof CodedError && (codes.length === 0 || codes.includes(error.code as Code)))
      return error as CodedError<Code>;
    throw error;
  };
}

/** For `catch`: as `catchCoded`, but resolves with undefined. */
export function ignoreCoded<Code extends string>(
  ...codes: readonly Code[]
): (error: unknown) => undefined {
  return (error) => void catchCoded(...codes)(error);
}

/** True for an error that only says that its signal was aborted. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** The message of anything thrown, for a log line or a reason. */
export function messageOf(error: unknown): string {
  // A connection that failed at each address of a name has no message of its own.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

const systemWords: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
};

/** Why a file that a person named could not be read, without the system's own words. */
export function whyUnreadable(error: unknown): string {
  return systemWords[systemCodeOf(error) ?? ''] ?? messageOf(error);
}

/** The system's error code (`ENOENT`, …) of anything thrown; undefined where it has none. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && !(error instanceof CodedError) ? code : undefined;
}

/**
 * True where a part of the program that is loaded late was not found: an upgrade replaces the files
 * of a program that runs.
 */
export function isOfMissingPart(error: unknown): boolean {
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(systemCodeOf(error) ?? '');
}
