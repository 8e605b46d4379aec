import { type ErrorCode, TributaryError } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import type { Operation } from './operation.ts';
import type { OperationName } from './operations.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface JudgedExchange<Name extends OperationName> {
  readonly name: Name;
  readonly answer: Answer;
  /** What was sent and must not be echoed in a message. */
  readonly secrets: readonly Secret[];
  /** Unix time, for a Retry-After that is a date. */
  readonly nowMs: number;
}

/** The error for an answer that cannot be used; the request had its effect, or may have had. */
export function createAnswerError(
  code: ErrorCode,
  { method, path }: { readonly method: Operation['method']; readonly path: string },
  why: string,
): TributaryError {
  return new TributaryError(code, `${method} ${path}: ${why}`, { maybeSent: true });
}
