import type { Operation } from '../operation.ts';
import {
  payoutWalletResponse,
  setPayoutWalletRequest,
  setPayoutWalletResponse,
  walletsResponse,
} from '../schemas/account.ts';

/** The operations below `/account` (service-interface, "Endpoints"). */
export const accountOperations = {
  wallets: {
    method: 'GET',
    path: '/account/wallets',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: walletsResponse,
    judgedBy: 'client',
  },
  payoutWallet: {
    method: 'GET',
    path: '/account/payout-wallet',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: payoutWalletResponse,
    judgedBy: 'client',
  },
  setPayoutWallet: {
    method: 'POST',
    path: '/account/payout-wallet',
    authentication: 'network-jwt',
    repeat: 'always',
    request: setPayoutWalletRequest,
    response: setPayoutWalletResponse,
    judgedBy: 'client',
  },
} as const satisfies Record<string, Operation>;
