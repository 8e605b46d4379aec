import { orErrorObject } from './error-object.ts';
import type { Backend, Handler } from './handler.ts';

/** password-set: a new password for a reset code; one error for every bad code, so that nothing is learnt from it. */
export function answerPasswordSet({ passwords }: Backend): Handler<'passwordSet'> {
  return ({ request }) =>
    orErrorObject(async () => {
      await passwords.reset(request.reset_code, request.password);
      return {};
    });
}
