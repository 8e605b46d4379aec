import { toWireList, toWireTime } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';

/** wallets: those of the caller's network. */
export function answerWallets({ dialect, wallets }: Backend): Handler<'wallets'> {
  return ({ network }) => ({
    wallets: toWireList(
      dialect,
      wallets.list(network.networkId).map((wallet) => ({
        wallet_id: wallet.walletId,
        ...(wallet.managedWalletId === null ? {} : { managed_wallet_id: wallet.managedWalletId }),
        network_id: wallet.networkId,
        wallet_type: wallet.walletType,
        blockchain: wallet.blockchain,
        wallet_address: wallet.walletAddress,
        active: wallet.active === 1,
        default_token_type: wallet.defaultTokenType,
        create_time: toWireTime(dialect, wallet.createdMs),
      })),
    ),
  });
}

/** payout-wallet: the wallet that is paid; without an id while none was chosen. */
export function answerPayoutWallet({ wallets }: Backend): Handler<'payoutWallet'> {
  return ({ network }) => {
    const walletId = wallets.findPayoutWallet(network.networkId);
    return walletId === undefined ? {} : { wallet_id: walletId };
  };
}

/** payout-wallet, the choice: one error for an unknown wallet and for another network's. */
export function answerSetPayoutWallet({ wallets }: Backend): Handler<'setPayoutWallet'> {
  return ({ request, network }) =>
    wallets.choosePayoutWallet(network.networkId, request.wallet_id)
      ? {}
      : { error: { message: 'The network has no such active wallet.' } };
}
