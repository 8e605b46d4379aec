import { parseArgs } from 'node:util';
import type { AnyCommand } from './frame/command.ts';
import type { CommandContext } from './frame/context.ts';

/** What runs for years, is asked every minute, or is waited for while strangers' traffic passes. */
const plainCommands = {
  run: async () => (await import('./commands/advanced/run.ts')).run,
  status: async () => (await import('./commands/everyday/status.ts')).status,
  health: async () => (await import('./commands/advanced/health.ts')).health,
  provide: async () => (await import('./commands/everyday/provide.ts')).provide,
  pause: async () => (await import('./commands/everyday/provide.ts')).pause,
  resume: async () => (await import('./commands/everyday/provide.ts')).resume,
} as const;

/**
 * Runs a command line that leaves nothing to judge without what reads every other one. False:
 * another command line.
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
 * By the names that commands know them by; undefined for anything but paths and flags, each once,
 * whose value cannot be left out.
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
