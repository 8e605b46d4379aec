import type { Command } from 'commander';
import { registerPayoutWallet } from './account/payout-wallet.ts';
import { registerSetPassword } from './account/set-password.ts';
import { registerUpgrade } from './account/upgrade.ts';
import { registerWallets } from './account/wallets.ts';
import type { CommandContext } from './context.ts';

/** Adds `tributary account …`: payouts, and the sign-in of the network itself. */
export function registerAccount(program: Command, context: CommandContext): void {
  const group = program
    .command('account')
    .description('wallets and payouts, the password, and making a guest permanent');
  registerWallets(group, context);
  registerPayoutWallet(group, context);
  registerUpgrade(group, context);
  registerSetPassword(group, context);
}
