import type * as z from 'zod';
import { SandboxError } from './errors.ts';

/**
 * Refuses what a caller asked for; the interface answers it as an `error` object
 * (service-interface, "Errors").
 */
export function refuse(message: string): SandboxError {
  return new SandboxError('usage-invalid', message);
}

/**
 * Strangers are shown it: no escape sequences, line ends, or letters that turn the direction round.
 */
const notOneLine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Refuses what cannot be seen, or not as one short line; `what` begins the sentence. @throws
 * usage-invalid
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

/** A body that cannot be taken, and the status that says so. */
export class BadBody extends SandboxError {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super('usage-invalid', message);
    this.status = status;
  }
}

/**
 * What came in a body, as it should be; `whole` is what the refusal calls all of it. @throws
 * usage-invalid
 */
export function parseBody<T>(schema: z.ZodType<T>, value: unknown, whole: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BadBody(400, `${issue?.path.join('.') || whole}: ${issue?.message}`);
}
