import * as z from 'zod';
import {
  answer,
  answerOr,
  codeFailure,
  count,
  integer,
  maybe,
  number,
  object,
  secret,
  text,
} from '../fields.ts';
import { making, type Operation, reading } from '../operation.ts';

/** The operations below `/auth` (service-interface, "Endpoints"). */
export const authOperations = {
  codeCreate: {
    ...making,
    summary: 'Creates a code to log in with.',
    path: '/auth/code-create',
    request: object(() => ({
      duration_minutes: number.describe(
        'How long the code is to be good for, in minutes; 10 by default.',
      ),
      uses: count.describe('How often the code may be redeemed; 1 by default.'),
    })),
    response: answerOr(codeFailure, () => ({
      auth_code: secret.describe('Code to log in with. It may begin with a hyphen.'),
      duration_minutes: number.describe('How long it is good for, in minutes.'),
      uses: integer.describe('How often the code may be redeemed, as granted.'),
    })),
  },
  codeLogin: {
    ...making,
    summary: 'Exchanges a code for a network JWT.',
    path: '/auth/code-login',
    authentication: 'none',
    request: object(() => ({
      auth_code: z.string().describe('Code to log in with. It may begin with a hyphen.'),
    })),
    response: answer(() => ({ by_jwt: networkJwt })),
  },
  refreshToken: {
    ...reading,
    isOutside: true,
    authentication: 'any-jwt',
    summary: "Exchanges a client's token for one that is good for as long again.",
    path: '/auth/refresh',
    response: answer(() => ({
      by_jwt: secret.describe('The same token (JWT) with a later end.'),
    })),
  },
  passwordSet: {
    ...making,
    summary: 'Sets a new password with a code from an e-mail or a text message.',
    path: '/auth/password-set',
    authentication: 'none',
    request: object(() => ({
      reset_code: z.string().describe('Code received by e-mail or text message.'),
      password: z.string().describe('The new password.'),
    })),
    response: answer(() => ({})),
  },
  passwordLogin: {
    ...making,
    isOutside: true,
    summary: 'Exchanges an e-mail address or a phone number and its password for a network JWT.',
    path: '/auth/login-with-password',
    authentication: 'none',
    request: object(() => ({
      user_auth: userAuth,
      password: z.string().describe('The password.'),
    })),
    response: answer(() => ({
      network: maybe(z.object({ by_jwt: networkJwt, name: networkName })).describe(
        'The network that was logged in to.',
      ),
      verification_required: verificationRequired(),
    })),
  },
  verifySend: {
    ...making,
    isOutside: true,
    summary: 'Sends the code that verifies an e-mail address or a phone number.',
    path: '/auth/verify-send',
    authentication: 'none',
    request: object(() => ({ user_auth: userAuth })),
    response: answer(() => ({ user_auth: sentTo })),
  },
  verify: {
    ...making,
    isOutside: true,
    summary: 'Verifies an e-mail address or a phone number by that code, for a network JWT.',
    path: '/auth/verify',
    authentication: 'none',
    request: object(() => ({
      user_auth: userAuth,
      verify_code: z.string().describe('Code received by e-mail or text message.'),
    })),
    response: answer(() => ({
      network: maybe(z.object({ by_jwt: networkJwt })).describe(
        'The network that was logged in to.',
      ),
    })),
  },
  passwordReset: {
    ...making,
    isOutside: true,
    summary: 'Sends the code to set a new password with.',
    path: '/auth/password-reset',
    authentication: 'none',
    request: object(() => ({ user_auth: userAuth })),
    response: answer(() => ({ user_auth: sentTo })),
  },
  upgradeGuest: {
    ...making,
    summary: 'Makes a permanent network of a guest session.',
    path: '/auth/upgrade-guest',
    authentication: 'guest-jwt',
    request: object(() => ({
      user_auth: userAuth,
      network_name: z.string().describe('Name of the new network; nobody else may have it.'),
      password: text.describe('The new password. Not needed with `auth_jwt` or `wallet_auth`.'),
      auth_jwt: text.describe('Token of a third party, in the place of a password.'),
      auth_jwt_type: maybe(z.enum(['google', 'apple', 'un'])).describe('Who issued `auth_jwt`.'),
      wallet_auth: maybe(z.record(z.string(), z.unknown())).describe(
        'Signature of a wallet, for accounts that are tied to a blockchain.',
      ),
    })),
    response: answer(() => ({
      network: maybe(z.object({ by_jwt: networkJwt })).describe(
        'The network that the guest session has become.',
      ),
      verification_required: verificationRequired(),
    })),
  },
} as const satisfies Record<string, Operation>;

const networkJwt = secret.describe("The network's token (JWT), for everything that asks for one.");
const userAuth = z.string().describe('E-mail address or phone number.');
const sentTo = text.describe('Where the code was sent, if a network belongs to it.');
const networkName = text.describe('Name of the network.');
const verificationRequired = () =>
  maybe(z.object({ user_auth: text.describe('E-mail address or phone number.') })).describe(
    'There while `user_auth` has to be verified.',
  );
