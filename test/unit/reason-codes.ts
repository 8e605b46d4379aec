import { findAction, type ReasonCode } from '../../src/health/reasons.ts';

/** True for a code that `status` can name; a stranger has no advice. */
export function isReasonCode(code: string): boolean {
  try {
    return findAction(code as ReasonCode) !== '';
  } catch {
    return false;
  }
}
