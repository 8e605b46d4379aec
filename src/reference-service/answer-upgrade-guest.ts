import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { WireRequest } from '../service/operations.ts';
import { orErrorObject, refuse } from './error-object.ts';
import type { Backend, Handler } from './handler.ts';
import { hashPassword } from './passwords.ts';

type Request = WireRequest<'upgradeGuest'>;

/** upgrade-guest: a guest's network becomes a permanent one, with all that it has. Its old token goes on working. */
export function answerUpgradeGuest({ networks, tokens }: Backend): Handler<'upgradeGuest'> {
  return ({ request, network }) =>
    orErrorObject(async () => {
      checkUserAuth(request.user_auth);
      checkProof(request);
      const upgraded = networks.upgrade(network.networkId, {
        networkName: request.network_name,
        userAuth: request.user_auth,
        passwordHash: request.password === undefined ? undefined : await hashPassword(request.password),
      });
      return {
        network: { by_jwt: await tokens.signNetwork(upgraded) },
        // Where somebody else vouches for the user there is nothing left to verify.
        ...(request.auth_jwt === undefined ? { verification_required: { user_auth: request.user_auth } } : {}),
      };
    });
}

function checkUserAuth(userAuth: string): void {
  const isEmail = userAuth.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(userAuth);
  const isPhone = /^\+?[\d ().-]+$/.test(userAuth) && /^\d{6,15}$/.test(userAuth.replace(/\D/g, ''));
  if (!isEmail && !isPhone) throw refuse('user_auth must be an e-mail address or a phone number.');
}

/** This service knows no third party, so it takes whatever looks like one's token on trust. */
function checkProof({ password, auth_jwt: authJwt, auth_jwt_type: type }: Request): void {
  if (authJwt === undefined) {
    if (password === undefined) throw refuse('A password or an auth_jwt is needed.');
    return;
  }
  if (type === undefined) throw refuse('An auth_jwt needs its auth_jwt_type.');
  if (!isJwt(authJwt)) throw refuse('auth_jwt must be a JWT.');
}

function isJwt(text: string): boolean {
  try {
    decodeProtectedHeader(text);
    decodeJwt(text);
    return true;
  } catch {
    return false;
  }
}
