import type * as z from 'zod';
import { describeIssue } from '../lib/describe-issue.ts';
import { SandboxError } from './errors.ts';

/**
 * The error for a request that is refused; the interface answers it as an `error` object
 * (service-interface, "Errors").
 */
export function refuse(message: string): SandboxError {
  return new SandboxError('usage-invalid', message);
}

/**
 * Strangers see this text, so it may have no escape sequences, line breaks, or characters that
 * reverse the writing.
 */
const notOneLine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Refuses text that cannot be seen, or not as one short line. `what` begins the sentence.
 * @throws usage-invalid
 */
export function checkLine(
  what: string,
  text: string,
  [least, most]: readonly [0 | 1, number],
): void {
  const isBlank =
    (least > 0 || text !== '') && /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
  if (!isBlank && [...text].length <= most && !notOneLine.test(text)) return;
  throw refuse(`${what} is one line of ${least} to ${most} characters.`);
}

/** A body that cannot be accepted, with the status that says so. */
export class BadBody extends SandboxError {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super('usage-invalid', message);
    this.status = status;
  }
}

/**
 * The checked value of a body. `whole` is what the refusal calls the body itself.
 * @throws usage-invalid
 */
export function parseBody<T>(schema: z.ZodType<T>, value: unknown, whole: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BadBody(400, `${issue?.path.join('.') || whole}: ${describeIssue(issue)}`);
}
