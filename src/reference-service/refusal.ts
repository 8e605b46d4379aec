import { TributaryError } from '../lib/errors.ts';

/** Refuses what a caller asked for; the interface answers it as an `error` object (service-interface, "Errors"). */
export function refuse(message: string): TributaryError {
  return new TributaryError('usage-invalid', message);
}
