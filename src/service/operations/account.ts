import * as z from 'zod';
import { answer, flag, list, object, text, time } from '../fields.ts';
import { asking, type Operation, reading } from '../operation.ts';

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
    request: object(() => ({ wallet_id: z.string().describe('A wallet, by its id at the service.') })),
    response: answer(() => ({})),
  },
} as const satisfies Record<string, Operation>;
