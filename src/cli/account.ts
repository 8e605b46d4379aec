import { setPassword } from './account/set-password.ts';
import { upgrade } from './account/upgrade.ts';
import { payoutWallet, wallets } from './account/wallets.ts';
import type { CommandGroup } from './command.ts';

export const account: CommandGroup = {
  usage: 'account',
  description: 'wallets and payouts, the password, and making a guest permanent',
  commands: [wallets, payoutWallet, upgrade, setPassword],
};
