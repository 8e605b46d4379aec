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
export function toErrorFields(error: unknown): ErrorFields {
  return readFields(error, 0);
}

function readFields(error: unknown, depth: number): ErrorFields {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  const isOurs = error instanceof TributaryError;
  const code = isOurs ? error.code : (systemCodeOf(error) ?? error.name);
  const isBug = depth === 0 && !isOurs && systemCodeOf(error) === undefined;
  return {
    code,
    message: pickMessage(error),
    ...(error.cause === undefined || depth >= deepest ? {} : { cause: readFields(error.cause, depth + 1) }),
    ...(isBug && !isProgramError(error) ? { stack: pickFrames(error) } : {}),
  };
}

/** An error of execa carries the whole output in its message; its short message does not. */
function pickMessage(error: Error): string {
  return isProgramError(error) ? error.shortMessage : error.message;
}

function isProgramError(error: Error): error is Error & { readonly shortMessage: string } {
  return typeof (error as { shortMessage?: unknown }).shortMessage === 'string';
}

function pickFrames(error: Error): string {
  const frames = [...(error.stack ?? '').matchAll(/^\s+(at .*)$/gm)];
  return frames
    .slice(0, 8)
    .map(([, frame]) => frame)
    .join('; ');
}
