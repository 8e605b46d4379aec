import * as z from 'zod';
import {
  answer,
  count,
  flag,
  integer,
  list,
  maybe,
  number,
  object,
  oneOf,
  secret,
  text,
  time,
} from '../fields.ts';
import { asking, making, type Operation, reading } from '../operation.ts';

/** A place to which payouts may go. */
export const wallet = object(() => ({
  wallet_id: text.describe('A wallet, by its id at the service.'),
  managed_wallet_id: text.describe('Its id with the company that manages it.'),
  network_id: text.describe('Network that it belongs to.'),
  wallet_type: oneOf('managed', 'external').describe('Who holds its keys.'),
  blockchain: oneOf('SOL', 'MATIC').describe('The chain that its address is on.'),
  wallet_address: text.describe('Its address on the blockchain.'),
  active: flag.describe('True where payouts may go there.'),
  default_token_type: text.describe('Token that is paid out, such as USDC.'),
  create_time: time('When it was created.'),
}));

/** The operations below `/account` (service-interface, "Endpoints"), and what payouts come to. */
export const accountOperations = {
  wallets: {
    ...reading,
    summary: "Lists the network's payout wallets.",
    path: '/account/wallets',
    response: answer(() => ({ wallets: list(wallet).describe('The wallets of the network.') })),
    list: 'wallets',
  },
  payoutWallet: {
    ...reading,
    summary: 'Reads which wallet payouts go to.',
    path: '/account/payout-wallet',
    response: answer(() => ({
      wallet_id: text.describe('The wallet that payouts go to; absent while none was chosen.'),
    })),
  },
  setPayoutWallet: {
    ...asking,
    summary: 'Chooses the wallet that payouts go to.',
    path: '/account/payout-wallet',
    request: object(() => ({
      wallet_id: z.string().describe('A wallet, by its id at the service.'),
    })),
    response: answer(() => ({})),
  },
  transferStats: {
    ...reading,
    isOutside: true,
    authentication: 'any-jwt',
    summary: "Reads how many bytes the network's devices provided, paid and not paid yet.",
    path: '/transfer/stats',
    response: answer(() => ({
      paid_bytes_provided: integer.describe('Provided since the beginning, and paid.'),
      unpaid_bytes_provided: integer.describe(
        "Provided, and not paid yet. What consumers download by the network's own protocol is part of both, also where the statistics of providers leave it out.",
      ),
    })),
  },
} as const satisfies Record<string, Operation>;

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
    response: answer(() => ({
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
  upgradeGuest: {
    ...making,
    summary: 'Makes a permanent network of a guest session.',
    path: '/auth/upgrade-guest',
    authentication: 'guest-jwt',
    request: object(() => ({
      user_auth: z.string().describe('E-mail address or phone number.'),
      network_name: z.string().describe('Name of the new network; nobody else may have it.'),
      password: text.describe('The new password. Not needed with `auth_jwt`.'),
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
      verification_required: maybe(
        z.object({ user_auth: text.describe('E-mail address or phone number.') }),
      ).describe('There while `user_auth` has to be verified.'),
    })),
  },
} as const satisfies Record<string, Operation>;

const networkJwt = secret.describe("The network's token (JWT), for everything that asks for one.");
