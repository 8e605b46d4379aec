import type { Backend, Handler } from './handler.ts';

/** code-login: a network JWT for a code; one error for every bad code, so that nothing is learnt from it. */
export function answerCodeLogin({ authCodes, networks, tokens }: Backend): Handler<'codeLogin'> {
  return async ({ request }) => {
    const networkId = authCodes.redeem(request.auth_code);
    const network = networkId === undefined ? undefined : networks.find(networkId);
    if (network === undefined) return { error: { message: 'Invalid, expired or used auth code.' } };
    return { by_jwt: await tokens.signNetwork(network) };
  };
}
