import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { formatAgo, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { addServiceCommand, type Paper } from '../service-command.ts';
import { readWallets, type WalletView } from './wallet-view.ts';

/** What `account wallets --json` prints. */
interface WalletsView {
  readonly wallets: readonly WalletView[];
}

/** Adds `tributary account wallets`. */
export function registerWallets(group: Command, context: CommandContext): void {
  addServiceCommand<WalletsView, object>(group, context, {
    usage: 'wallets',
    description: 'the wallets that are registered for payouts, and which one is paid',
    examples: {
      'tributary account wallets': 'all of them; * is the one that payouts go to',
      'tributary account wallets --json': 'the same for a script, with whole addresses',
    },
    run: async (session) => ({ wallets: (await readWallets(session)).wallets }),
    render: renderWallets,
  });
}

function renderWallets({ wallets }: WalletsView, { columns, now }: Paper): string {
  if (wallets.length === 0)
    return 'No wallets yet. Register one with the service, then choose it: tributary account payout-wallet\n';
  const note = wallets.some(({ isPayoutWallet }) => isPayoutWallet)
    ? '* payouts go to this wallet'
    : 'Payouts go to none of these. Choose one: tributary account payout-wallet WALLET';
  return `${renderTable(toColumns(now), wallets, columns)}\n${note}\n`;
}

function toColumns(now: Date): readonly Column<WalletView>[] {
  return [
    { title: '', read: ({ isPayoutWallet }) => (isPayoutWallet ? '*' : ' ') },
    { title: 'Wallet', read: ({ walletId }) => walletId ?? unknown, least: 8, isId: true },
    { title: 'Chain', read: ({ blockchain }) => blockchain ?? unknown, least: 5 },
    { title: 'Type', read: ({ walletType }) => walletType ?? unknown, least: 8, dropOrder: 2 },
    { title: 'Token', read: ({ tokenType }) => tokenType ?? unknown, least: 5, dropOrder: 1 },
    { title: 'Address', read: ({ address }) => address ?? unknown, least: 11, isAddress: true },
    { title: 'Active', read: ({ isActive }) => formatFlag(isActive) },
    { title: 'Created', read: ({ createdAt }) => formatAgo(createdAt, now), least: 9, dropOrder: 3 },
  ];
}

function formatFlag(flag: boolean | null): string {
  if (flag === null) return unknown;
  return flag ? 'yes' : 'no';
}
