import { TributaryError } from '../lib/errors.ts';

/** The error for a command line that cannot be done: `usage-invalid`. */
export function refuse(message: string, cause?: unknown): TributaryError {
  return new TributaryError('usage-invalid', message, cause === undefined ? {} : { cause });
}

/** The same for what was typed for an option; `allowed` says what it has to be. */
export function refuseOption(option: string, text: string | undefined, allowed: string): TributaryError {
  return refuse(`${option} ${text}: it must be ${allowed}`);
}

/** A whole number within the bounds. @throws usage-invalid */
export function parseNumber(option: string, text: string, { least = 0, most }: { least?: number; most: number }) {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw refuseOption(option, text, `a whole number from ${least} to ${most}`);
}

/** A number of at most nine digits before and behind the point; undefined where the text is none. */
export function parseAmount(text: string): number | undefined {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}
