import { TributaryError } from '../../../errors/codes.ts';
import { toPlainText } from '../../../lib/plain-text.ts';
import type { ServiceClient } from '../../../service/client.ts';
import { profiles } from '../../../service/profiles.ts';
import { confirmOrStop, defineCommand, refuse } from '../../frame/command.ts';
import { loadConfig, openNotes } from '../../frame/context.ts';
import { readSecret } from '../../frame/read-secret.ts';
import { joinLines } from '../../present/text.ts';
import { wakeAgent } from './reload.ts';

/**
 * `tributary login` exchanges an auth code for this network's token. A code is never an argument,
 * because `ps` shows arguments.
 */
export const login = defineCommand({
  usage: 'login',
  description:
    'sign this device in with an auth code: from a prompt, standard input, a file or TRIBUTARY_AUTH_CODE; or with a password',
  options: {
    '--code-file <file>': 'read the code from this file; - is standard input',
    '--user-auth <email-or-phone>': 'sign in with a password instead of a code',
    '--password-file <file>': 'read that password from this file; - is standard input',
    '--verify-code-file <file>':
      'read the code that verifies a new address from this file, in the place of a password',
    '--new-device': 'register as a new device, and give up the present registration',
    '--yes': 'skip the confirmation',
    '--json': 'one JSON object',
  },
  examples: {
    'sudo tributary login': 'asks for the code',
    'sudo tributary login --code-file code.txt': 'with the code in a file',
    'sudo tributary login --user-auth ada@example.org': 'asks for the password',
  },
  async act({ options, show }, context) {
    const loaded = await loadConfig(options, context);
    const profile = profiles[loaded.config.service.profile ?? 'documented'];
    const { userAuth, codeFile, passwordFile, verifyCodeFile } = options;
    if (userAuth === undefined && (passwordFile ?? verifyCodeFile) !== undefined)
      throw refuse('--password-file and --verify-code-file go together with --user-auth');
    if (userAuth !== undefined && codeFile !== undefined)
      throw refuse('give --user-auth or --code-file, not both');
    const isByCode = userAuth === undefined && codeFile === undefined;
    const given = isByCode ? loaded.credentials.authCode : undefined;
    const { createRegistrationFiles } = await import('../../../identity/registration-files.ts');
    const { findNetworkName } = await import('../../../service/jwt.ts');
    const { networkJwt } = createRegistrationFiles(loaded.stateDirectory, () => undefined);
    const before = (await networkJwt.peek().catch(() => undefined))?.token;
    const isAsked = given === undefined && codeFile === undefined && context.prompt !== undefined;
    if (before !== undefined && isAsked) {
      const question = `This device is signed in to ${toPlainText(findNetworkName(before))}. Sign in again?`;
      await confirmOrStop(question, options, context);
    }
    const { signInOnce } = await import('./sign-in-once.ts');
    const notes = openNotes(options, context);
    const how = { isNewDevice: options.newDevice === true, notes };
    const source = { name: 'auth code', file: codeFile, option: '--code-file' };
    const obtain = async () => {
      if (userAuth === undefined) return given ?? (await readSecret(source, context));
      const { logInByPassword } = await import('./password-login.ts');
      return (client: ServiceClient) =>
        logInByPassword({ client, profile, userAuth, passwordFile, verifyCodeFile }, context);
    };
    const token = await signInOnce(loaded, await obtain(), how);
    const isRunning = await wakeAgent(loaded);
    const networkName = findNetworkName(token);
    await show({ signedIn: true, networkName, isRunning }, (plain) =>
      joinLines([
        `Signed in to ${plain.networkName}.`,
        isRunning && 'The agent takes it from here: tributary status',
        !isRunning &&
          'Start the agent: sudo systemctl start tributary (without the package: tributary run)',
      ]),
    );
  },
});

export const logout = defineCommand({
  usage: 'logout',
  description:
    'sign this device out; it stays registered, and a running agent keeps going until it is restarted',
  options: { '--yes': 'skip the confirmation', '--json': 'one JSON object' },
  examples: { 'sudo tributary logout': 'after a question' },
  async act({ options, show }, context) {
    const { stateDirectory, credentials } = await loadConfig(options, context);
    const { createRegistrationFiles } = await import('../../../identity/registration-files.ts');
    const { signOut } = await import('../../../identity/sign-in.ts');
    const { findNetworkName } = await import('../../../service/jwt.ts');
    const { networkJwt } = createRegistrationFiles(stateDirectory, () => undefined);
    const stored = await networkJwt.peek();
    const token = stored?.ownerToken ?? stored?.token ?? credentials.networkJwt;
    if (token === undefined)
      throw new TributaryError('signed-out', 'signing out: this device is not signed in');
    const networkName = findNetworkName(token);
    await confirmOrStop(`Forget the sign-in to ${toPlainText(networkName)}?`, options, context);
    await signOut(networkJwt, credentials.networkJwt);
    await show({ signedIn: false, networkName }, (plain) =>
      joinLines([
        `Signed out of ${plain.networkName}. This device stays registered there.`,
        'A running agent keeps going until it is restarted. To sign in again: tributary login',
      ]),
    );
  },
});
