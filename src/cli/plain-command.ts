import { parseArgs } from 'node:util';
import type { AnyCommand } from './frame/command.ts';
import type { CommandContext } from './frame/context.ts';

/**
 * Commands that run for years, are called every minute, or are waited for while strangers' traffic
 * passes. They start without commander.
 */
const plainCommands = {
  run: async () => (await import('./commands/advanced/run.ts')).run,
  status: async () => (await import('./commands/everyday/status.ts')).status,
  health: async () => (await import('./commands/advanced/health.ts')).health,
  provide: async () => (await import('./commands/everyday/provide.ts')).provide,
  pause: async () => (await import('./commands/everyday/provide.ts')).pause,
  resume: async () => (await import('./commands/everyday/provide.ts')).resume,
} as const;

/**
 * Runs a simple command line without loading the parser of all others. False if it is not that
 * simple.
 */
export async function runPlainCommand(
  argv: readonly string[],
  context: CommandContext,
): Promise<boolean> {
  const [name = '', ...args] = argv;
  if (argv.length === 1 && ['--version', '-V'].includes(name)) {
    context.stdout.write(`${context.version}\n`);
    return true;
  }
  const words = name === 'provide' && !args[0]?.startsWith('-') ? args.splice(0, 1) : [];
  const command = await Object.entries(plainCommands).find(([word]) => word === name)?.[1]();
  const options = command && readOptions(args, command);
  if (command === undefined || options === undefined) return false;
  const { runCommand } = await import('./frame/run-command.ts');
  await runCommand(command, { name, words, options }, context);
  return true;
}

/**
 * The options by the names that commands use. undefined if there is anything but paths and flags,
 * each given once and with its value.
 */
export function readOptions(
  args: readonly string[],
  command: AnyCommand,
): Record<string, unknown> | undefined {
  const known = Object.keys(command.options ?? {}).flatMap((flag) => {
    const [, name, value] = /^--([a-z-]+)( <\w+>)?$/.exec(flag) ?? [];
    return name === undefined
      ? []
      : [[name, { type: value === undefined ? 'boolean' : 'string' }] as const];
  });
  const path = { type: 'string' } as const;
  try {
    const options = { config: path, 'state-dir': path, ...Object.fromEntries(known) };
    const { values, tokens } = parseArgs({ args, options, tokens: true });
    if (tokens.length > Object.keys(values).length) return undefined;
    const toCamelCase = (flag: string) =>
      flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    return Object.fromEntries(
      Object.entries(values).map(([flag, value]) => [toCamelCase(flag), value]),
    );
  } catch {
    return undefined;
  }
}
