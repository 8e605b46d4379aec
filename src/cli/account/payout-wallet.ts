import { TributaryError } from '../../lib/errors.ts';
import { toPlainText } from '../../lib/plain-text.ts';
import { confirmOrStop, type ServiceCommand } from '../command.ts';
import { joinLines } from '../present/text.ts';
import { refuse } from '../refuse.ts';
import { readWallets, type WalletsView, type WalletView } from './wallets.ts';

type PayoutWalletView = ReturnType<typeof viewPayoutWallet>;

/** `tributary account payout-wallet`. */
export const payoutWallet: ServiceCommand<PayoutWalletView> = {
  usage: 'payout-wallet [wallet]',
  description: 'show the wallet that payouts go to, or choose another: its id, the start of it, or its address',
  options: { '--yes': 'do not ask' },
  examples: {
    'tributary account payout-wallet': 'show it',
    'tributary account payout-wallet 6f0c': 'choose the wallet whose id begins like this, after a question',
  },
  async run(session, { words: [text], options }, context) {
    const before = await readWallets(session);
    if (text === undefined) return viewPayoutWallet(before, 'unchanged');
    const wallet = pickWallet(before.wallets, text);
    if (wallet.isPayoutWallet) return viewPayoutWallet(before, 'unchanged');
    const question = `From now on, send payouts to ${describeAddress(wallet)} (${describeWallet(wallet)})?`;
    await confirmOrStop(question, options, context);
    await session.call('setPayoutWallet', { walletId: wallet.walletId });
    const after = await readWallets(session);
    if (after.payoutWalletId === wallet.walletId) return viewPayoutWallet(after, 'changed');
    const message = `choosing the payout wallet: the service took it, and still says ${after.payoutWalletId ?? 'none'}`;
    throw new TributaryError('service-refused', message);
  },
  render({ payoutWalletId, wallet, isChanged }, { paint }) {
    if (payoutWalletId === undefined) {
      return 'No payout wallet yet. Choose one of `tributary account wallets`: tributary account payout-wallet WALLET\n';
    }
    if (wallet === undefined) return `Payouts go to wallet ${toPlainText(payoutWalletId)}, which is not among yours.\n`;
    return joinLines([
      isChanged ? 'From now on, payouts go to' : 'Payouts go to',
      `  ${describeAddress(wallet)}`,
      `  ${describeWallet(wallet)}`,
      wallet.isActive === false && paint('yellow', 'It is not active: nothing is paid to it.'),
    ]);
  },
};

/** `wallet` is undefined where the chosen one is not among the network's. */
function viewPayoutWallet({ wallets, payoutWalletId }: WalletsView, outcome: 'changed' | 'unchanged') {
  const wallet = wallets.find(({ isPayoutWallet }) => isPayoutWallet);
  return { payoutWalletId, wallet, isChanged: outcome === 'changed' };
}

/** @throws usage-invalid where the text fits no wallet, or several */
function pickWallet(wallets: readonly WalletView[], text: string): WalletView & { readonly walletId: string } {
  const lower = text.toLowerCase();
  const named = wallets.flatMap(({ walletId, ...wallet }) => (walletId === undefined ? [] : [{ ...wallet, walletId }]));
  const exact = named.filter(({ walletId, address }) => walletId === text || address === text);
  const fitting = exact.length > 0 ? exact : named.filter(({ walletId }) => walletId.toLowerCase().startsWith(lower));
  const [only, ...others] = fitting;
  if (only === undefined || text === '') {
    throw refuse(`no wallet of this network is ${text}; see them with \`tributary account wallets\``);
  }
  if (others.length === 0) return only;
  const all = fitting.map(({ walletId }) => walletId).join(', ');
  throw refuse(`${text} fits several wallets: ${all}`);
}

/** `SOL 7xKX…`, whole: the owner compares it letter by letter. */
function describeAddress({ blockchain, address = 'an address that the service does not say' }: WalletView): string {
  return joinKnown(blockchain, address);
}

function describeWallet({ walletType, walletId }: WalletView): string {
  return joinKnown(walletType, 'wallet', walletId);
}

function joinKnown(...parts: readonly (string | undefined)[]): string {
  return toPlainText(parts.filter((part) => part !== undefined).join(' '));
}
