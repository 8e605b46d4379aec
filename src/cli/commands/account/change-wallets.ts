import { TributaryError } from '../../../errors/codes.ts';
import { confirmOrStop, defineCommand, refuse, refuseOption } from '../../frame/command.ts';
import { joinLines } from '../../present/text.ts';
import { describeWallet, pickWallet, readWallets } from './wallets.ts';

const chains = ['SOL', 'MATIC'] as const;

export const addWallet = defineCommand({
  usage: 'add-wallet <address>',
  description: 'register a wallet that payouts can go to',
  arguments: {
    address: 'its address on the blockchain; nobody can undo a payout to a wrong one',
  },
  options: {
    '--chain <chain>': 'SOL or MATIC (default: MATIC for an address that begins with 0x)',
    '--yes': 'skip the confirmation',
  },
  examples: {
    'tributary account add-wallet 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU':
      'shows the address again and asks',
  },
  async run(session, { words: [address = ''], options }, context) {
    const { chain: word = address.startsWith('0x') ? 'MATIC' : 'SOL' } = options;
    const blockchain = chains.find((chain) => chain === word.toUpperCase());
    if (blockchain === undefined) throw refuseOption('--chain', word, chains.join(' or '));
    session.findServed('createWallet');
    const { valid } = await session.call('validateAddress', { address, chain: blockchain });
    if (valid === false)
      throw refuse(`${address} is no address of ${blockchain}: nothing was registered`);
    await confirmOrStop(`Register ${blockchain} ${address} for payouts?`, options, context);
    const { walletId } = await session.call('createWallet', { blockchain, walletAddress: address });
    if (walletId) return { walletId, blockchain, address };
    const message = 'registering the wallet: the answer holds neither a wallet nor an error';
    throw new TributaryError('answer-invalid', message);
  },
  render: ({ walletId, blockchain, address }) =>
    joinLines([
      `Registered ${blockchain} ${address}`,
      `  wallet ${walletId}`,
      `Have payouts go there: tributary account payout-wallet ${walletId.slice(0, 8)}`,
    ]),
});

export const removeWallet = defineCommand({
  usage: 'remove-wallet <wallet>',
  description: 'remove a wallet: its id, the start of it, or its address',
  options: { '--yes': 'skip the confirmation' },
  examples: { 'tributary account remove-wallet 6f0c': 'after a question' },
  async run(session, { words: [text = ''], options }, context) {
    session.findServed('removeWallet');
    const wallet = pickWallet((await readWallets(session)).wallets, text);
    const [address, id] = describeWallet(wallet);
    const paid = wallet.isPayoutWallet ? ' Payouts go there now, and would go nowhere.' : '';
    await confirmOrStop(`Remove ${address} (${id})?${paid}`, options, context);
    const { success } = await session.call('removeWallet', { walletId: wallet.walletId });
    if (success === true)
      return { walletId: wallet.walletId, removed: true, wasPayoutWallet: wallet.isPayoutWallet };
    const message = 'removing the wallet: the answer says neither that it is gone nor why not';
    throw new TributaryError('answer-invalid', message);
  },
  render: ({ walletId, wasPayoutWallet }) =>
    joinLines([
      `Removed wallet ${walletId}.`,
      wasPayoutWallet &&
        'Payouts go to none now. Choose one: tributary account payout-wallet WALLET',
    ]),
});
