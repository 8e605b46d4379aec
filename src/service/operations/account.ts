import * as z from 'zod';
import { error, flag, list, object, text, time } from '../fields.ts';
import type { Operation } from '../operation.ts';

/** Where payouts may go. */
export const wallet = object(() => ({
  wallet_id: text.describe('A wallet, by its id at the service.'),
  managed_wallet_id: text.describe('Its id at whoever manages it.'),
  network_id: text.describe('Network that it belongs to.'),
  wallet_type: text.describe('`managed` or `external`.'),
  blockchain: text.describe('`SOL` or `MATIC`.'),
  wallet_address: text.describe('Its address on the blockchain.'),
  active: flag.describe('True where payouts may go there.'),
  default_token_type: text.describe('Token that is paid out, such as USDC.'),
  create_time: time('When it was created.'),
}));

/** The operations below `/account` (service-interface, "Endpoints"). */
export const accountOperations = {
  wallets: {
    summary: "Lists the network's payout wallets.",
    method: 'GET',
    path: '/account/wallets',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: object(() => ({ wallets: list(wallet).describe('The wallets of the network.'), error })),
    list: 'wallets',
  },
  payoutWallet: {
    summary: 'Reads which wallet payouts go to.',
    method: 'GET',
    path: '/account/payout-wallet',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: object(() => ({
      wallet_id: text.describe('The wallet that payouts go to; absent while none was chosen.'),
      error,
    })),
  },
  setPayoutWallet: {
    summary: 'Chooses the wallet that payouts go to.',
    method: 'POST',
    path: '/account/payout-wallet',
    authentication: 'network-jwt',
    repeat: 'always',
    request: object(() => ({ wallet_id: z.string().describe('A wallet, by its id at the service.') })),
    response: object(() => ({ error })),
  },
} as const satisfies Record<string, Operation>;
