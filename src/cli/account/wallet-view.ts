import type { OperationResponse } from '../../service/operations.ts';
import type { Session } from '../session.ts';

/** A wallet as `--json` shows it; null where the service says nothing. */
export interface WalletView {
  readonly walletId: string | null;
  readonly managedWalletId: string | null;
  /** `managed` or `external`. */
  readonly walletType: string | null;
  /** `SOL` or `MATIC`. */
  readonly blockchain: string | null;
  readonly tokenType: string | null;
  readonly address: string | null;
  /** True where payouts may go there. */
  readonly isActive: boolean | null;
  readonly createdAt: string | null;
  readonly isPayoutWallet: boolean;
}

/** The network's wallets, and which of them is paid. */
export interface Wallets {
  readonly wallets: readonly WalletView[];
  /** null while none is chosen; it may be one that is not listed. */
  readonly payoutWalletId: string | null;
}

/** Asks for both. */
export async function readWallets(session: Session): Promise<Wallets> {
  const [{ wallets }, { walletId }] = await Promise.all([
    session.call('wallets', undefined),
    session.call('payoutWallet', undefined),
  ]);
  const payoutWalletId = walletId || null;
  return { wallets: wallets.map((wallet) => toWalletView(wallet, payoutWalletId)), payoutWalletId };
}

function toWalletView(wallet: OperationResponse<'wallets'>['wallets'][number], payoutId: string | null): WalletView {
  const walletId = wallet.walletId ?? null;
  return {
    walletId,
    managedWalletId: wallet.managedWalletId ?? null,
    walletType: wallet.walletType ?? null,
    blockchain: wallet.blockchain ?? null,
    tokenType: wallet.defaultTokenType ?? null,
    address: wallet.walletAddress ?? null,
    isActive: wallet.active ?? null,
    createdAt: wallet.createTime ?? null,
    isPayoutWallet: walletId !== null && walletId === payoutId,
  };
}
