import type { CodeTerms } from './auth-codes.ts';
import type { Backend, Handler } from './handler.ts';

/** Login codes of one network that are still good. */
const pendingLimit = 10;

/** code-create: a login code for the caller's own network (service-interface, "Limits"). */
export function answerCodeCreate({ authCodes, dialect }: Backend): Handler<'codeCreate'> {
  return ({ request, network: { networkId } }) => {
    const terms = { durationMinutes: request.duration_minutes ?? 10, uses: request.uses ?? 1 };
    const refusal = judgeTerms(terms, dialect.mostOfCode);
    if (refusal !== undefined) return { error: { message: refusal } };
    if (authCodes.countPending(networkId) >= pendingLimit) {
      const message = `The network has its maximum of ${pendingLimit} auth codes that are still good.`;
      return { error: { auth_code_limit_exceeded: true, message } };
    }
    return {
      auth_code: authCodes.issue(networkId, terms),
      duration_minutes: terms.durationMinutes,
      uses: terms.uses,
    };
  };
}

/** What is wrong with the terms; undefined where nothing is. */
function judgeTerms({ durationMinutes, uses }: CodeTerms, most: CodeTerms): string | undefined {
  if (!(durationMinutes > 0 && durationMinutes <= most.durationMinutes)) {
    return `duration_minutes must be above 0 and at most ${most.durationMinutes}.`;
  }
  if (!(uses >= 1 && uses <= most.uses)) return `uses must be from 1 to ${most.uses}.`;
  return undefined;
}
