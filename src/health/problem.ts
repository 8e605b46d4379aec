import { type ErrorCode, messageOf, TributaryError } from '../errors/codes.ts';

/** A failure that has not gone well since; `since` is when it began, not when it was last seen. */
export interface Problem<Code = ErrorCode> {
  readonly code: Code;
  readonly message: string;
  /** What to do about this very failure; undefined: what its code asks for. */
  readonly action?: string | undefined;
  readonly since: Date;
}

/**
 * The problem after another look: a failure of the same kind keeps its beginning. undefined after a
 * look that went well.
 */
export function continueProblem(
  before: Problem | undefined,
  error: unknown,
  now: Date,
): Problem | undefined {
  if (error === undefined) return undefined;
  const code = error instanceof TributaryError ? error.code : 'command-failed';
  const own = error instanceof TributaryError && error.action ? { action: error.action } : {};
  const since = before?.code === code ? before.since : now;
  return { code, message: messageOf(error), ...own, since };
}
