import * as z from 'zod';
import { answer, flag, integer, list, number, object, oneOf, text, time } from '../fields.ts';
import { asking, making, type Operation, reading } from '../operation.ts';

const chain = z.enum(['SOL', 'MATIC']);

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

/** What was paid out, or will be, for a stretch of time. */
export const payment = object(() => ({
  payment_id: text.describe('The payment.'),
  wallet_id: text.describe('A wallet, by its id at the service.'),
  wallet_address: text.describe('Its address on the blockchain.'),
  blockchain: oneOf('SOL', 'MATIC').describe('The chain that its address is on.'),
  payout_byte_count: integer.describe('Bytes that are paid by it.'),
  payout_nano_cents: integer.describe('What they come to, in billionths of a cent (USD).'),
  token_type: text.describe('Token that is paid out, such as USDC.'),
  token_amount: number.describe('How much of the token was sent.'),
  tx_hash: text.describe('The transaction on the blockchain.'),
  create_time: time('When it was created.'),
  payment_time: time('When it was sent; absent while it was not.'),
  completed: flag.describe('True once it arrived.'),
  complete_time: time('When it arrived.'),
  canceled: flag.describe('True where it was given up.'),
  cancel_time: time('When it was given up.'),
}));

/** Points that the network was given once. */
export const point = object(() => ({
  account_point_id: text.describe('The entry.'),
  network_id: text.describe('Network that it belongs to.'),
  event: text.describe('What they were given for, such as payout or referral.'),
  point_value: integer.describe('How many points.'),
  account_payment_id: text.describe('The payment that they came with.'),
  create_time: time('When they were given.'),
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
  createWallet: {
    ...making,
    isOutside: true,
    summary: 'Registers a wallet for payouts, which its owner manages.',
    path: '/account/wallet',
    request: object(() => ({
      blockchain: chain.describe('The chain that its address is on.'),
      wallet_address: z.string().describe('Its address on the blockchain.'),
      default_token_type: text.describe('Token that is paid out; USDC by default.'),
    })),
    response: answer(() => ({
      wallet_id: text.describe('The new wallet, by its id at the service.'),
    })),
  },
  validateAddress: {
    ...asking,
    isOutside: true,
    summary: 'Says whether an address can be one of a blockchain.',
    path: '/wallet/validate-address',
    request: object(() => ({
      address: z.string().describe('An address on a blockchain.'),
      chain: text.describe('The chain, SOL or MATIC.'),
    })),
    response: answer(() => ({ valid: flag.describe('True where payouts could go there.') })),
  },
  removeWallet: {
    ...making,
    isOutside: true,
    summary: 'Removes a wallet; payouts go to none where it was the chosen one.',
    path: '/account/wallets/remove',
    request: object(() => ({
      wallet_id: z.string().describe('A wallet, by its id at the service.'),
    })),
    response: answer(() => ({ success: flag.describe('True once it is gone.') })),
  },
  payments: {
    ...reading,
    isOutside: true,
    summary: 'Lists what was paid out to the network.',
    path: '/account/payments',
    response: answer(() => ({
      account_payments: list(payment).describe('Payments, the latest first.'),
    })),
    list: 'account_payments',
  },
  points: {
    ...reading,
    isOutside: true,
    summary: 'Lists the points that the network was given.',
    path: '/account/points',
    response: answer(() => ({
      network_points: list(point).describe('Entries, the latest first.'),
    })),
    list: 'network_points',
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
