import { toPlainJson } from '../lib/plain-text.ts';
import { profileNames, provideModes } from '../service/profiles.ts';
import { defineCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { joinLines } from './present/text.ts';
import { readSecret } from './read-secret.ts';
import { refuse } from './refuse.ts';

/** `tributary setup`: from an installed package to a device that shares, in one dialogue or in one line. */
export const setup = defineCommand({
  usage: 'setup',
  description: 'set this device up: service, mode, cap and sign-in, asked one by one or given here',
  options: {
    '--service <address>': 'address of the service, https://…',
    '--profile <name>': `${profileNames.join(' or ')} (default: what the service shows)`,
    '--mode <mode>': `who may use your connection: ${provideModes.join(', ')} (default: friends)`,
    '--cap <amount>': 'most data in a month, such as 500GB',
    '--code-file <file>': 'read the auth code from this file; - is standard input',
    '--json': 'one JSON object',
  },
  examples: {
    'sudo tributary setup': 'asks for everything',
    'sudo tributary setup --service https://service.example --mode friends --cap 500GB --code-file code.txt':
      'asks for nothing',
  },
  async act({ options }, context) {
    const { readBefore } = await import('./setup-before.ts');
    const { gatherAnswers, toChanges, toOffers } = await import('./setup-answers.ts');
    const before = await readBefore(options, context);
    const { path, loaded, isSignedIn } = before;
    const handedIn = options.codeFile === undefined ? loaded.credentials.authCode : undefined;
    // A code that is handed in makes it a script: nothing is asked.
    const prompt = options.codeFile === undefined && handedIn === undefined ? context.prompt : undefined;
    const say = (line: string) => void context.stderr.write(`${line}\n`);
    const check = async (baseUrl: string) => {
      const { base_url: known } = loaded.config.service;
      if (before.isRegistered && !before.isNew && baseUrl !== known)
        throw refuse(`this device is registered at ${known}. ${toMove}`);
      const { checkService } = await import('./check-service.ts');
      return checkService({ ...loaded.service, baseUrl });
    };
    const answers = await gatherAnswers(toOffers(options, before), { prompt, say, check });
    const changes = toChanges(answers, before);
    if (changes.length > 0 && !before.isWritable) throw refuse(`${path} cannot be written. ${inContainer}`);
    const again = 'This device is signed in. Sign in again, with a new code?';
    const isKept = isSignedIn && options.codeFile === undefined && (await prompt?.confirm(again)) !== true;
    const source = { name: 'auth code', file: options.codeFile, option: '--code-file' };
    const code = isKept ? undefined : (handedIn ?? (await readSecret(source, context)));
    const { finishSetup } = await import('./setup-finish.ts');
    const { status, page, isPackaged } = await finishSetup({ path, changes, code, prompt, options }, context);
    if (isPackaged && !['providing', 'idle', 'paused'].includes(status?.phase ?? '')) context.setExitCode(1);
    if (options.json === true) {
      const { service, profile = null, mode, cap = null } = answers;
      const done = { file: path, service, profile, mode, cap, signedIn: true, phase: status?.phase ?? null, page };
      context.stdout.write(`${toPlainJson(done)}\n`);
    } else context.stdout.write(await render({ status, page, path }, context));
  },
});

const toMove =
  'To move it: set service.base_url by `tributary config set`, then sign in at another service by `tributary login --new-device`';
const inContainer = 'In a container, give what you want to set in its environment, such as TRIBUTARY_PROVIDE_MODE';

async function render(
  { status, page, path }: { readonly path: string } & Pick<Finished, 'status' | 'page'>,
  context: CommandContext,
): Promise<string> {
  if (status === undefined) return `Set up. The agent does not run; start it:\n  tributary run --config ${path}\n`;
  const { renderLines } = await import('./status.ts');
  return joinLines([...renderLines(status, context), '', page !== null && `Page      ${page}`]);
}

type Finished = Awaited<ReturnType<typeof import('./setup-finish.ts').finishSetup>>;
