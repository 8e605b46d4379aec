import type { OperationResponse } from '../../service/operations.ts';
import type { ServiceCommand } from '../command.ts';
import { flagWords, formatAgo } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import type { Session } from '../session.ts';

/** A wallet as `--json` shows it. */
export type WalletView = ReturnType<typeof viewWallet>;
/** The network's wallets, and which of them is paid. */
export type WalletsView = Awaited<ReturnType<typeof readWallets>>;

/** `tributary account wallets`. */
export const wallets: ServiceCommand<Pick<WalletsView, 'wallets'>> = {
  usage: 'wallets',
  description: 'the wallets that are registered for payouts, and which one is paid',
  examples: {
    'tributary account wallets': 'all of them; * is the one that payouts go to',
    'tributary account wallets --json': 'the same for a script, with whole addresses',
  },
  run: async (session) => ({ wallets: (await readWallets(session)).wallets }),
  async render({ wallets: found }, terminal) {
    if (found.length === 0)
      return 'No wallets yet. Register one with the service, then choose it: tributary account payout-wallet\n';
    const note = found.some(({ isPayoutWallet }) => isPayoutWallet)
      ? '* payouts go to this wallet'
      : 'Payouts go to none of these. Choose one: tributary account payout-wallet WALLET';
    return `${await renderTable(columns, found, terminal)}\n${note}\n`;
  },
};

/** Asks for the wallets and for the one that is paid: undefined while none is chosen; it may be one that is not listed. */
export async function readWallets(session: Session) {
  const [{ wallets: listed }, { walletId }] = await Promise.all([
    session.call('wallets', undefined),
    session.call('payoutWallet', undefined),
  ]);
  const payoutWalletId = walletId || undefined;
  return { wallets: listed.map((wallet) => viewWallet(wallet, payoutWalletId)), payoutWalletId };
}

function viewWallet(wallet: OperationResponse<'wallets'>['wallets'][number], payoutWalletId: string | undefined) {
  return {
    walletId: wallet.walletId,
    managedWalletId: wallet.managedWalletId,
    /** `managed` or `external`. */
    walletType: wallet.walletType,
    /** `SOL` or `MATIC`. */
    blockchain: wallet.blockchain,
    tokenType: wallet.defaultTokenType,
    address: wallet.walletAddress,
    /** True where payouts may go there. */
    isActive: wallet.active,
    createdAt: wallet.createTime,
    isPayoutWallet: wallet.walletId !== undefined && wallet.walletId === payoutWalletId,
  };
}

const columns: readonly Column<WalletView>[] = [
  { title: '', read: ({ isPayoutWallet }) => (isPayoutWallet ? '*' : ' ') },
  { title: 'Wallet', read: ({ walletId }) => walletId, least: 8, isId: true },
  { title: 'Chain', read: ({ blockchain }) => blockchain, least: 5 },
  { title: 'Type', read: ({ walletType }) => walletType, least: 8, dropOrder: 2 },
  { title: 'Token', read: ({ tokenType }) => tokenType, least: 5, dropOrder: 1 },
  { title: 'Address', read: ({ address }) => address, least: 11, isAddress: true },
  { title: 'Active', read: ({ isActive }) => flagWords[`${isActive}`] },
  { title: 'Created', read: ({ createdAt }, now) => formatAgo(createdAt, now), least: 9, dropOrder: 3 },
];
