import type { Backend, Handler } from './handler.ts';

/** code-login: a network JWT for a code; one error for every bad code, so that nothing is learnt from it. */
export function answerCodeLogin(backend: Backend): Handler<'codeLogin'> {
  return async ({ request }) => {
    const network = backend.networks.redeemCode(request.auth_code);
    if (network === undefined) return { error: { message: 'Invalid, expired or used auth code.' } };
    return { by_jwt: await backend.tokens.signNetwork(network) };
  };
}
