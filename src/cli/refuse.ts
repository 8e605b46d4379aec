import { TributaryError } from '../lib/errors.ts';

/** The error for a command line that cannot be done: `usage-invalid`. */
export function refuse(message: string, cause?: unknown): TributaryError {
  return new TributaryError('usage-invalid', message, cause === undefined ? {} : { cause });
}
