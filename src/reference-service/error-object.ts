import { hasCode, TributaryError } from '../lib/errors.ts';

/** The work's answer, or what refuses the caller's wish as the `error` object of a 200 (service-interface, "Errors"). */
export async function orErrorObject<T>(work: () => T | Promise<T>): Promise<T | { error: { message: string } }> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, 'usage-invalid')) throw error;
    return { error: { message: error.message } };
  }
}

/** What refuses a caller's wish. */
export function refuse(message: string): TributaryError {
  return new TributaryError('usage-invalid', message);
}
