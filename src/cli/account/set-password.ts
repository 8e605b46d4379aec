import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { checkSources, readNewPassword, readSecret } from '../read-secret.ts';
import { addServiceCommand, type Given } from '../service-command.ts';
import type { Session } from '../session.ts';

interface SetPasswordOptions {
  readonly resetCodeFile?: string;
  readonly passwordFile?: string;
}

/** What `account set-password --json` prints. */
interface SetPasswordView {
  readonly passwordSet: true;
}

/** Adds `tributary account set-password`. */
export function registerSetPassword(group: Command, context: CommandContext): void {
  addServiceCommand<SetPasswordView, SetPasswordOptions>(group, context, {
    usage: 'set-password',
    description: 'set a new password with the reset code that came by e-mail or SMS; asks for both at a terminal',
    options: {
      '--reset-code-file <file>': 'read the reset code from this file; - is standard input',
      '--password-file <file>': 'read the new password from this file; - is standard input',
    },
    examples: {
      'tributary account set-password': 'asks for the code, and twice for the password',
      'tributary account set-password --reset-code-file code.txt --password-file -': 'the password on standard input',
    },
    run: setPassword,
    render: () => 'The new password is set.\n',
  });
}

async function setPassword(
  session: Session,
  { options }: Given<SetPasswordOptions>,
  context: CommandContext,
): Promise<SetPasswordView> {
  const ofCode = { name: 'reset code', file: options.resetCodeFile, option: '--reset-code-file' };
  const ofPassword = { name: 'new password', file: options.passwordFile, option: '--password-file', isPassword: true };
  checkSources([ofCode, ofPassword], context);
  const resetCode = await readSecret(ofCode, context);
  const password = await readNewPassword(ofPassword, context);
  await session.call('passwordSet', { resetCode, password });
  return { passwordSet: true };
}
