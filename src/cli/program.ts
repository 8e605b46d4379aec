import { Command } from 'commander';
import {
  addCommand,
  addHelpCommand,
  completerName,
  configFlag,
  further,
  renderExamples,
  stateFlag,
  throwUsageError,
} from './frame/add-command.ts';
import type { AnyCommand, CommandGroup } from './frame/command.ts';
import { registerCompleter } from './frame/completer.ts';
import type { CommandContext } from './frame/context.ts';

type Loaders = Readonly<Record<string, () => Promise<AnyCommand | CommandGroup>>>;

/**
 * What an owner types, under its heading in the help. A module is loaded only when it is needed.
 */
const owners: Readonly<Record<string, Loaders>> = {
  'Every day': {
    status: async () => (await import('./commands/everyday/status.ts')).status,
    pause: async () => (await import('./commands/everyday/provide.ts')).pause,
    resume: async () => (await import('./commands/everyday/provide.ts')).resume,
    stats: async () => (await import('./commands/stats/stats.ts')).stats,
    doctor: async () => (await import('./commands/everyday/doctor.ts')).doctor,
    logs: async () =>
      (await import('./commands/everyday/system-commands.ts')).defineSystemCommand('logs'),
    start: async () =>
      (await import('./commands/everyday/system-commands.ts')).defineSystemCommand('start'),
    stop: async () =>
      (await import('./commands/everyday/system-commands.ts')).defineSystemCommand('stop'),
    restart: async () =>
      (await import('./commands/everyday/system-commands.ts')).defineSystemCommand('restart'),
  },
  'Set up': {
    setup: async () => (await import('./commands/set-up/setup.ts')).setup,
    demo: async () => (await import('./commands/set-up/demo.ts')).demo,
    login: async () => (await import('./commands/set-up/login.ts')).login,
    config: async () => (await import('./commands/set-up/config.ts')).config,
  },
  'Your devices and account': {
    device: async () => (await import('./commands/device/device.ts')).device,
    account: async () => (await import('./commands/account/account.ts')).account,
  },
};

/** What is seldom needed: the help lists it when it is asked for all commands. */
const others: Readonly<Record<string, Loaders>> = {
  Seldom: {
    provide: async () => (await import('./commands/everyday/provide.ts')).provide,
    reload: async () => (await import('./commands/set-up/reload.ts')).reload,
    logout: async () => (await import('./commands/set-up/login.ts')).logout,
    auth: async () => (await import('./commands/set-up/auth.ts')).auth,
    service: async () => (await import('./commands/service/service.ts')).service,
    completion: async () => (await import('./commands/set-up/completion.ts')).completion,
  },
  'For the system and for development': {
    run: async () => (await import('./commands/advanced/run.ts')).run,
    health: async () => (await import('./commands/advanced/health.ts')).health,
    plan: async () => (await import('./commands/advanced/plan.ts')).plan,
    namespace: async () => (await import('./commands/advanced/namespace.ts')).namespace,
    cleanup: async () => (await import('./commands/advanced/cleanup.ts')).cleanup,
    sandbox: async () => (await import('./sandbox.ts')).loadSandbox(),
  },
};

const groups = { ...owners, ...others };

/**
 * The program for these arguments: with the one group that they name, or with all groups for help
 * and for typing errors.
 */
export async function createProgram(
  argv: readonly string[],
  context: CommandContext,
): Promise<Command> {
  const program = new Command('tributary')
    .description("shares this device's bandwidth through a WireGuard tunnel, on its owner's terms")
    .version(context.version, '-V, --version')
    .option(
      configFlag,
      'configuration (default: TRIBUTARY_CONFIG, else /etc/tributary/tributary.yaml)',
    )
    .option(stateFlag, 'state (default: TRIBUTARY_STATE_DIR, else /var/lib/tributary)')
    .showSuggestionAfterError()
    .addHelpText('after', renderExamples(examples))
    .addHelpText('after', `\n${further.join('\n')}`)
    .configureOutput({
      getOutHelpWidth: () => Math.min(context.columns ?? 80, widestHelp),
      getErrHelpWidth: () => Math.min(context.columns ?? 80, widestHelp),
      writeOut: (text) => void context.stdout.write(text),
      // Commander only writes the help of an incomplete command here; errors are printed by the
      // command frame.
      writeErr: (text) => void context.stderr.write(text),
      outputError: () => undefined,
    })
    .exitOverride((error) => throwUsageError(error, program));
  const isCompletion = argv[0] === completerName;
  const named = findGroup(isCompletion ? argv.slice(argv.indexOf('--') + 1, -1) : argv);
  for (const [heading, commands] of Object.entries(groups)) {
    for (const [name, load] of Object.entries(commands)) {
      if (named === undefined || name === named)
        addCommand(program, context, await load()).helpGroup(`${heading}:`);
    }
  }
  if (isCompletion) registerCompleter(program, context);
  else addHelpCommand(program, Object.values(owners).flatMap(Object.keys));
  return program;
}

/** `tributary --help status` asks what `tributary status --help` does. */
export function putHelpLast(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word) => ['-h', '--help'].includes(word));
  const named = findGroup(argv);
  if (at < 0 || named === undefined || at > argv.indexOf(named)) return argv;
  return [...argv.toSpliced(at, 1), '--help'];
}

/** The group named by the first word that is neither an option nor an option's value. */
function findGroup(argv: readonly string[]): string | undefined {
  // In a completion, `--config=x` may come as three words.
  const words = argv.filter((word) => word !== '=');
  const isValue = (index: number) => pathOptions.includes(words[index - 1] ?? '');
  const first = words.find((word, index) => !word.startsWith('-') && !isValue(index));
  return Object.values(groups).some((commands) => Object.hasOwn(commands, first ?? ''))
    ? first
    : undefined;
}

const pathOptions = [configFlag, stateFlag].map((flags) => flags.split(' ', 1)[0]);

const widestHelp = 120;

const examples = {
  'sudo tributary setup': 'set this device up, question by question',
  'tributary status': 'what it does, why, and what you can do about it',
  'sudo tributary doctor': 'what is wrong, and the command that fixes it',
  'sudo tributary pause --for 2h': 'share nothing for two hours',
};
