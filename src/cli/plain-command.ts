import { parseArgs } from 'node:util';
import type { AnyCommand } from './command.ts';
import type { CommandContext } from './context.ts';

/** What runs for years or is asked every minute. */
const plainCommands = {
  run: async () => (await import('./run.ts')).run,
  status: async () => (await import('./status.ts')).status,
  health: async () => (await import('./health.ts')).health,
} as const;

/** Runs a command line that leaves nothing to judge without what reads every other one. False: another command line. */
export async function runPlainCommand(argv: readonly string[], context: CommandContext): Promise<boolean> {
  const [name = '', ...args] = argv;
  if (argv.length === 1 && ['--version', '-V'].includes(name)) {
    context.stdout.write(`${context.version}\n`);
    return true;
  }
  const command = await Object.entries(plainCommands).find(([word]) => word === name)?.[1]();
  const options = command && readOptions(args, command);
  if (command === undefined || options === undefined) return false;
  const { runCommand } = await import('./command.ts');
  await runCommand(command, { words: [], options }, context);
  return true;
}

/** By the names that commands know them by; undefined for anything but the paths and flags without a value. */
export function readOptions(args: readonly string[], command: AnyCommand): Record<string, unknown> | undefined {
  const flags = Object.keys(command.options ?? {}).flatMap((flag) => /^--([a-z-]+)$/.exec(flag)?.[1] ?? []);
  const known = flags.map((flag) => [flag, { type: 'boolean' }] as const);
  const path = { type: 'string' } as const;
  try {
    const { values } = parseArgs({ args, options: { config: path, 'state-dir': path, ...Object.fromEntries(known) } });
    const toCamelCase = (flag: string) => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    return Object.fromEntries(Object.entries(values).map(([flag, value]) => [toCamelCase(flag), value]));
  } catch {
    return undefined;
  }
}
