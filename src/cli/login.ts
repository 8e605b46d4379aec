import { defineCommand } from './command.ts';
import { loadConfig } from './context.ts';
import { readSecret } from './read-secret.ts';
import { wakeAgent } from './wake-agent.ts';

/** `tributary login`: exchanges an auth code for this network's token. Codes are never arguments: `ps` shows those. */
export const login = defineCommand({
  usage: 'login',
  description: 'sign this device in with an auth code: from a prompt, standard input, a file or TRIBUTARY_AUTH_CODE',
  options: {
    '--code-file <file>': 'read the code from this file; - is standard input',
    '--new-device': 'leave the client that this device was registered as, and register a new one',
    '--json': 'one JSON object',
  },
  async act({ options, show }, context) {
    const loaded = await loadConfig(options, context);
    const given = options.codeFile === undefined ? loaded.credentials.authCode : undefined;
    const source = { name: 'auth code', file: options.codeFile, option: '--code-file' };
    const code = given ?? (await readSecret(source, context));
    const { signInOnce } = await import('./sign-in-once.ts');
    await signInOnce(loaded, code, options.newDevice === true ? 'new-device' : 'same-device');
    await wakeAgent(loaded);
    await show({ signedIn: true }, () => 'Signed in.\n');
  },
});
