import { TributaryError } from '../../../errors/codes.ts';
import type { OperationResponse } from '../../../service/operations.ts';
import { confirmOrStop, defineCommand, refuse } from '../../frame/command.ts';
import { keepNames } from '../../frame/known-names.ts';
import type { Session } from '../../frame/session.ts';
import { asAgo, asFlag, asMark } from '../../present/amounts.ts';
import { readBelow } from '../../present/below-table.ts';
import { defineTable } from '../../present/tables.ts';
import { joinLines, joinSections } from '../../present/text.ts';

export const wallets = defineCommand({
  usage: 'wallets',
  description: 'the wallets that are registered for payouts, and which one is paid',
  examples: {
    'tributary account wallets': 'all of them; * is the one that payouts go to',
    'tributary account wallets --json': 'the same for a script, with whole addresses',
  },
  async run(session, _given, context) {
    const { wallets: found } = await readWallets(session);
    await keepNames(
      'wallet',
      found.map(({ walletId: id = '', address: name = '' }) => ({ id, name })),
      context,
    );
    return { wallets: found };
  },
  tables: ({ wallets: found }) => ({
    wallets: defineTable(found, [
      { ...asMark, name: 'paid', read: ({ isPayoutWallet }) => isPayoutWallet },
      { title: 'Wallet', read: ({ walletId }) => walletId, least: 8, isId: true },
      { title: 'Chain', read: ({ blockchain }) => blockchain, least: 5 },
      { title: 'Type', read: ({ walletType }) => walletType, least: 8, dropOrder: 2 },
      { title: 'Token', read: ({ tokenType }) => tokenType, least: 5, dropOrder: 1 },
      { title: 'Address', read: ({ address }) => address, least: 11, isAddress: true },
      { ...asFlag, title: 'Active', read: ({ isActive }) => isActive },
      { ...asAgo, title: 'Created', read: ({ createdAt }) => createdAt, dropOrder: 3 },
    ]),
  }),
  render({ wallets: all }, shown) {
    if (all.length === 0)
      return 'No wallets yet. Register one: tributary account add-wallet ADDRESS\n';
    const { rows, prints } = readBelow(shown, 'wallets', all);
    const isMarked = prints('paid') && rows.some((own) => own.isPayoutWallet);
    const notes = [
      isMarked && '* payouts go to this wallet',
      all.every((own) => !own.isPayoutWallet) &&
        'Payouts go to none of these. Choose one: tributary account payout-wallet WALLET',
    ];
    return joinSections([shown.tables.wallets, joinLines(notes)]);
  },
});

export const payoutWallet = defineCommand({
  usage: 'payout-wallet [wallet]',
  description:
    'show the wallet that payouts go to, or choose another: its id, the start of it, or its address',
  options: { '--yes': 'skip the confirmation' },
  examples: {
    'tributary account payout-wallet': 'show it',
    'tributary account payout-wallet 6f0c':
      'choose the wallet whose id begins like this, after a question',
  },
  async run(session, { words: [text], options }, context) {
    const { wallets: known, chosen } = await readWallets(session);
    const wallet = text === undefined ? undefined : pickWallet(known, text);
    if (wallet === undefined || wallet.isPayoutWallet) return { ...chosen, isChanged: false };
    const [address, id] = describeWallet(wallet);
    await confirmOrStop(`From now on, send payouts to ${address} (${id})?`, options, context);
    await session.call('setPayoutWallet', { walletId: wallet.walletId });
    const { chosen: after } = await readWallets(session);
    if (after.payoutWalletId === wallet.walletId) return { ...after, isChanged: true };
    const message = `choosing the payout wallet: the service took it, and still says ${after.payoutWalletId ?? 'none'}`;
    throw new TributaryError('answer-invalid', message);
  },
  render({ payoutWalletId, wallet, isChanged }, { paint }) {
    if (payoutWalletId === undefined) {
      return 'No payout wallet yet. Choose one of `tributary account wallets`: tributary account payout-wallet WALLET\n';
    }
    if (wallet === undefined)
      return `Payouts go to wallet ${payoutWalletId}, which is not among yours.\n`;
    return joinLines([
      isChanged ? 'From now on, payouts go to' : 'Payouts go to',
      ...describeWallet(wallet).map((line) => `  ${line}`),
      wallet.isActive === false && paint('yellow', 'It is not active: nothing is paid to it.'),
    ]);
  },
});

/**
 * The wallets, and the one that payouts go to: without an id while none is chosen, and without a
 * wallet if it is not in the network's list.
 */
export async function readWallets(session: Session) {
  const [{ wallets: listed }, { walletId }] = await Promise.all([
    session.call('wallets', undefined),
    session.call('payoutWallet', undefined),
  ]);
  const payoutWalletId = walletId || undefined;
  const found = listed.map((wallet) => viewWallet(wallet, payoutWalletId));
  return {
    wallets: found,
    chosen: { payoutWalletId, wallet: found.find(({ isPayoutWallet }) => isPayoutWallet) },
  };
}

type WalletView = ReturnType<typeof viewWallet>;

function viewWallet(
  wallet: OperationResponse<'wallets'>['wallets'][number],
  payoutWalletId: string | undefined,
) {
  return {
    walletId: wallet.walletId,
    managedWalletId: wallet.managedWalletId,
    walletType: wallet.walletType,
    blockchain: wallet.blockchain,
    tokenType: wallet.defaultTokenType,
    address: wallet.walletAddress,
    isActive: wallet.active,
    createdAt: wallet.createTime,
    isPayoutWallet: wallet.walletId !== undefined && wallet.walletId === payoutWalletId,
  };
}

/** The wallet that the text names. @throws usage-invalid where it names none, or several */
export function pickWallet(
  wallets: readonly WalletView[],
  text: string,
): WalletView & { readonly walletId: string } {
  const lower = text.toLowerCase();
  const named = wallets.flatMap(({ walletId, ...wallet }) =>
    walletId === undefined ? [] : [{ ...wallet, walletId }],
  );
  const exact = named.filter(({ walletId, address }) => walletId === text || address === text);
  const fitting =
    exact.length > 0
      ? exact
      : named.filter(({ walletId }) => walletId.toLowerCase().startsWith(lower));
  const [only, ...others] = fitting;
  if (only === undefined || text === '') {
    throw refuse(`no wallet has the id or address ${text}`, {
      action: 'See your wallets: tributary account wallets',
    });
  }
  if (others.length === 0) return only;
  const ids = fitting.map(({ walletId }) => walletId).join(', ');
  throw refuse(`${text} matches several wallets: ${ids}`, { action: 'Type more of the id.' });
}

/**
 * `SOL 7xKX…`: the whole address, because the owner compares it letter by letter, and which wallet
 * it is.
 */
export function describeWallet({
  blockchain,
  walletType,
  walletId,
  ...wallet
}: WalletView): readonly [string, string] {
  const { address = 'an address that the service does not say' } = wallet;
  const join = (...parts: readonly (string | undefined)[]) =>
    parts.filter((part) => part !== undefined).join(' ');
  return [join(blockchain, address), join(walletType, 'wallet', walletId)];
}
