import type { Handlers } from './backend.ts';
import { toWireTime } from './profile.ts';
import { refuse } from './refusal.ts';

/** The operations below `/account`. */
export const accountHandlers = {
  /** Those of the caller's network. */
  wallets: ({ profile, wallets }, { network }) => ({
    wallets: wallets.list(network.networkId).map((wallet) => ({
      wallet_id: wallet.walletId,
      managed_wallet_id: wallet.managedWalletId ?? undefined,
      network_id: wallet.networkId,
      wallet_type: wallet.walletType,
      blockchain: wallet.blockchain,
      wallet_address: wallet.walletAddress,
      active: wallet.active === 1,
      default_token_type: wallet.defaultTokenType,
      create_time: toWireTime(profile, wallet.createdMs),
    })),
  }),

  /** The wallet that is paid; without an id while none was chosen. */
  payoutWallet: ({ wallets }, { network }) => ({ wallet_id: wallets.findPayoutWallet(network.networkId) }),

  /** One error for an unknown wallet and for another network's. */
  setPayoutWallet({ wallets }, { request, network }) {
    if (wallets.choosePayoutWallet(network.networkId, request.wallet_id)) return {};
    throw refuse('The network has no such active wallet.');
  },
} satisfies Partial<Handlers>;
