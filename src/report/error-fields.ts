import { systemCodeOf, TributaryError } from '../lib/errors.ts';

/** What a log record keeps of an error. */
export interface ErrorFields {
  readonly code: string | undefined;
  readonly message: string;
  readonly cause?: ErrorFields;
  /** Of bugs only. */
  readonly stack?: string;
}

const deepest = 3;

/** Code and message, down the causes. Never other properties: a program's output and input may hold keys. */
export function toErrorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  const { cause } = error;
  const code = error instanceof TributaryError ? error.code : systemCodeOf(error);
  // An error of execa carries the whole output in its message; its short message does not.
  const { shortMessage } = error as { shortMessage?: unknown };
  const isOfProgram = typeof shortMessage === 'string';
  return {
    code: code ?? error.name,
    message: isOfProgram ? shortMessage : error.message,
    ...(cause === undefined || depth >= deepest ? {} : { cause: toErrorFields(cause, depth + 1) }),
    ...(depth === 0 && code === undefined && !isOfProgram ? { stack: pickFrames(error) } : {}),
  };
}

function pickFrames({ stack = '' }: Error): string {
  const frames = stack.matchAll(/^\s+(at .*)$/gm).map(([, frame]) => frame);
  return [...frames.take(8)].join('; ');
}
