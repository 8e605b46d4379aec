import type * as z from 'zod';
import type { ErrorCode } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import { createAnswerError } from './answer.ts';
import type { failure } from './fields.ts';
import { type OperationName, operations } from './operations.ts';
import { scrub } from './scrub.ts';
import type { Camelized } from './wire-case.ts';

export type RefusalFields = Partial<Camelized<z.output<typeof failure>>>;

/**
 * The coded error for the `error` of an answer (service-interface, "Errors"): client-limit-exceeded,
 * auth-code-limit-exceeded, auth-code-refused, not-authorized or service-refused. Something may have changed even so.
 */
export function createRefusalError(name: OperationName, error: RefusalFields, secrets: readonly Secret[] = []) {
  const message = scrub(error.message ?? '', secrets);
  const said = message === '' ? 'the service refused and gave no reason' : `the service refused: ${message}`;
  return createAnswerError(chooseRefusalCode(name, error), operations[name], said);
}

/** Words that say that the token is no good. */
export const notAuthorized =
  /\b(not authori[sz]ed|unauthori[sz]ed|(invalid|expired) (jwt|token)|(jwt|token) (is |has )?(invalid|expired))\b/i;

function chooseRefusalCode(name: OperationName, error: RefusalFields): ErrorCode {
  if (error.clientLimitExceeded === true) return 'client-limit-exceeded';
  if (error.authCodeLimitExceeded === true) return 'auth-code-limit-exceeded';
  if (name === 'codeLogin') return 'auth-code-refused';
  return notAuthorized.test(error.message ?? '') ? 'not-authorized' : 'service-refused';
}
