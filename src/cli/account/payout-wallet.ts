import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import { toPlainText } from '../../status/wrap.ts';
import type { CommandContext } from '../context.ts';
import { addServiceCommand, confirmOrStop, type Given, type Paper } from '../service-command.ts';
import type { Session } from '../session.ts';
import { readWallets, type Wallets, type WalletView } from './wallet-view.ts';

/** What `account payout-wallet --json` prints. */
interface PayoutWalletView {
  /** null while none is chosen. */
  readonly payoutWalletId: string | null;
  /** null where the chosen one is not among the network's wallets. */
  readonly wallet: WalletView | null;
  readonly isChanged: boolean;
}

/** Adds `tributary account payout-wallet`. */
export function registerPayoutWallet(group: Command, context: CommandContext): void {
  addServiceCommand<PayoutWalletView, object>(group, context, {
    usage: 'payout-wallet [wallet]',
    description: 'show the wallet that payouts go to, or choose another: its id, the start of it, or its address',
    options: { '--yes': 'do not ask' },
    examples: {
      'tributary account payout-wallet': 'show it',
      'tributary account payout-wallet 6f0c': 'choose the wallet whose id begins like this, after a question',
    },
    run: showOrChoose,
    render: renderPayoutWallet,
  });
}

async function showOrChoose(
  session: Session,
  { words: [text], options }: Given<object>,
  context: CommandContext,
): Promise<PayoutWalletView> {
  const before = await readWallets(session);
  if (text === undefined) return toView(before, false);
  const wallet = pickWallet(before.wallets, text);
  if (wallet.isPayoutWallet) return toView(before, false);
  await confirmOrStop(`From now on, send payouts to ${toPlace(wallet)} (${toName(wallet)})?`, options, context);
  await session.call('setPayoutWallet', { walletId: wallet.walletId });
  const after = await readWallets(session);
  if (after.payoutWalletId === wallet.walletId) return toView(after, true);
  const message = `choosing the payout wallet: the service took it, and still says ${after.payoutWalletId ?? 'none'}`;
  throw new TributaryError('service-refused', message);
}

function toView({ wallets, payoutWalletId }: Wallets, isChanged: boolean): PayoutWalletView {
  return { payoutWalletId, wallet: wallets.find(({ isPayoutWallet }) => isPayoutWallet) ?? null, isChanged };
}

interface ChosenWallet extends WalletView {
  readonly walletId: string;
}

/** @throws usage-invalid where the text fits no wallet, or several */
function pickWallet(wallets: readonly WalletView[], text: string): ChosenWallet {
  const lower = text.toLowerCase();
  const named = wallets.filter((wallet): wallet is ChosenWallet => wallet.walletId !== null);
  const exact = named.filter(({ walletId, address }) => walletId === text || address === text);
  const fitting = exact.length > 0 ? exact : named.filter(({ walletId }) => walletId.toLowerCase().startsWith(lower));
  const [only, ...others] = fitting;
  if (only === undefined || text === '') {
    const message = `no wallet of this network is ${text}; see them with \`tributary account wallets\``;
    throw new TributaryError('usage-invalid', message);
  }
  if (others.length === 0) return only;
  const all = fitting.map(({ walletId }) => walletId).join(', ');
  throw new TributaryError('usage-invalid', `${text} fits several wallets: ${all}`);
}

function renderPayoutWallet({ payoutWalletId, wallet, isChanged }: PayoutWalletView, { paint }: Paper): string {
  if (payoutWalletId === null) {
    return 'No payout wallet yet. Choose one of `tributary account wallets`: tributary account payout-wallet WALLET\n';
  }
  if (wallet === null) return `Payouts go to wallet ${toPlainText(payoutWalletId)}, which is not among yours.\n`;
  const warning = 'It is not active: nothing is paid to it.';
  return [
    isChanged ? 'From now on, payouts go to' : 'Payouts go to',
    `  ${toPlace(wallet)}`,
    `  ${toName(wallet)}`,
    ...(wallet.isActive === false ? [paint('yellow', warning)] : []),
    '',
  ].join('\n');
}

/** `SOL 7xKX…`, whole: somebody compares it letter by letter. */
function toPlace({ blockchain, address }: WalletView): string {
  return toPlainText([blockchain, address ?? 'an address that the service does not say'].filter(isKnown).join(' '));
}

function toName({ walletType, walletId }: WalletView): string {
  return toPlainText([walletType, 'wallet', walletId].filter(isKnown).join(' '));
}

function isKnown(text: string | null): text is string {
  return text !== null;
}
