import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { hasCode, TributaryError } from '../lib/errors.ts';
import { Secret } from '../lib/secret.ts';
import { readSmallFile } from '../system/small-file.ts';
import type { CommandContext, PathOptions } from './context.ts';

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
      const loaded = await loadConfig({
        configPath: options.config,
        stateDirectory: options.stateDir,
        environment: context.environment,
      });
      const code = (await readCode(options.codeFile)) ?? loaded.credentials.authCode ?? (await askForCode());
      const { signInOnce } = await import('../sign-in-once.ts');
      await signInOnce(loaded, code, options.newDevice === true ? 'new-device' : 'same-device');
      await wakeAgent(loaded.socketPaths);
      const text = options.json === true ? JSON.stringify({ signedIn: true }) : 'Signed in.';
      context.stdout.write(`${text}\n`);
    });
}

const codeLimitBytes = 4096;

async function readCode(file: string | undefined): Promise<Secret | undefined> {
  if (file === undefined) return undefined;
  return new Secret(file === '-' ? await readStandardInput() : await readSmallFile(file, codeLimitBytes));
}

/** A prompt at a terminal (codes end within minutes: nothing to hide from the one who types), else standard input. */
async function askForCode(): Promise<Secret> {
  if (process.stdin.isTTY !== true) return new Secret(await readStandardInput());
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return new Secret(await prompt.question('Auth code: '));
  } finally {
    prompt.close();
  }
}

async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > codeLimitBytes) throw new TributaryError('usage-invalid', 'reading the code: it is too long');
  }
  if (text.trim() === '') {
    throw new TributaryError(
      'usage-invalid',
      'reading the code: standard input is empty; give a code there or in --code-file',
    );
  }
  return text;
}

/** An agent that waits for a sign-in goes on at once; where none runs there is nothing to wake. */
async function wakeAgent(socketPaths: readonly string[]): Promise<void> {
  const { askAgent } = await import('../status/socket-client.ts');
  try {
    await askAgent(socketPaths, 'POST', '/reload');
  } catch (error) {
    if (!hasCode(error, 'not-running', 'configuration-invalid', 'not-allowed', 'command-failed')) throw error;
  }
}
