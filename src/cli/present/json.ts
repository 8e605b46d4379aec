import { escapeUnseen } from '../../lib/plain-text.ts';

/** JSON on one line. Inside the program what is absent is undefined, in JSON it is null. */
export function renderJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, (_key, inner: unknown) => inner ?? null));
}
