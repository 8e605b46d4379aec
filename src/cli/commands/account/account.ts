import { type CommandGroup, defineCommand } from '../../frame/command.ts';
import { checkSources, readNewPassword, readSecret } from '../../frame/read-secret.ts';
import { addWallet, removeWallet } from './change-wallets.ts';
import { payments, points } from './payments.ts';
import { provided } from './provided.ts';
import { resetPassword } from './reset-password.ts';
import { upgrade } from './upgrade.ts';
import { payoutWallet, wallets } from './wallets.ts';

const setPassword = defineCommand({
  usage: 'set-password',
  description:
    'set a new password with the reset code that came by e-mail or SMS; asks for both at a terminal',
  options: {
    '--reset-code-file <file>': 'read the reset code from this file; - is standard input',
    '--password-file <file>': 'read the new password from this file; - is standard input',
  },
  examples: {
    'tributary account set-password': 'asks for the code, and twice for the password',
    'tributary account set-password --reset-code-file code.txt --password-file -':
      'the password on standard input',
  },
  async run(session, { options: { resetCodeFile, passwordFile } }, context) {
    const ofCode = { name: 'reset code', file: resetCodeFile, option: '--reset-code-file' };
    const ofPassword = {
      name: 'new password',
      file: passwordFile,
      option: '--password-file',
      isPassword: true,
    };
    checkSources([ofCode, ofPassword], context);
    const resetCode = await readSecret(ofCode, context);
    const password = await readNewPassword(ofPassword, context);
    await session.call('passwordSet', { resetCode, password });
    return { passwordSet: true };
  },
  render: () => 'The new password is set.\n',
});

export const account: CommandGroup = {
  usage: 'account',
  description:
    'what was provided and paid, payout wallets, the password, and making a guest permanent',
  commands: [
    provided,
    payments,
    points,
    wallets,
    payoutWallet,
    addWallet,
    removeWallet,
    upgrade,
    setPassword,
    resetPassword,
  ],
};
