import type { Command } from 'commander';
import type { CommandContext, PathOptions } from './context.ts';
import { readSecret } from './read-secret.ts';
import { wakeAgent } from './wake-agent.ts';

interface LoginOptions extends PathOptions {
  readonly codeFile?: string;
  readonly newDevice?: boolean;
  readonly json?: boolean;
}

/** Adds `tributary login`: exchanges an auth code for this network's token. Codes are never arguments: `ps` shows those. */
export function registerLogin(program: Command, context: CommandContext): void {
  program
    .command('login')
    .description('sign this device in with an auth code: from a prompt, standard input, a file or TRIBUTARY_AUTH_CODE')
    .option('--code-file <file>', 'read the code from this file; - is standard input')
    .option('--new-device', 'leave the client that this device was registered as, and register a new one')
    .option('--json', 'one JSON object')
    .action(async (_options: LoginOptions, command: Command) => {
      const options = command.optsWithGlobals<LoginOptions>();
      const { loadConfig } = await import('../config/load.ts');
      const loaded = await loadConfig({
        configPath: options.config,
        stateDirectory: options.stateDir,
        environment: context.environment,
      });
      const given = options.codeFile === undefined ? loaded.credentials.authCode : undefined;
      const source = { name: 'auth code', file: options.codeFile, option: '--code-file' };
      const code = given ?? (await readSecret(source, context));
      const { signInOnce } = await import('./sign-in-once.ts');
      await signInOnce(loaded, code, options.newDevice === true ? 'new-device' : 'same-device');
      await wakeAgent(loaded.socketPaths);
      const text = options.json === true ? JSON.stringify({ signedIn: true }) : 'Signed in.';
      context.stdout.write(`${text}\n`);
    });
}
