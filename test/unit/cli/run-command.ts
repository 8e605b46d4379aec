import { Command } from 'commander';
import { addCommand } from '../../../src/cli/frame/add-command.ts';
import type { AnyCommand, CommandGroup } from '../../../src/cli/frame/command.ts';
import type { CommandContext } from '../../../src/cli/frame/context.ts';
import { now } from '../../../tools/docs/sample-facts.ts';

export interface CommandResult {
  readonly stdout: string;
  readonly exitCode: number | undefined;
}

/**
 * Runs one command line against the agent on `socketPath`; errors come through as main would see
 * them.
 */
export async function runCommand(
  command: AnyCommand | CommandGroup,
  socketPath: string,
  args: readonly string[],
): Promise<CommandResult> {
  const program = new Command('tributary')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const { context, result } = createContext(socketPath, args);
  program.option('--config <file>').option('--state-dir <directory>');
  addCommand(program, context, command);
  await program.parseAsync(args, { from: 'user' });
  return result();
}

/** Of the program's version 0.0.0, at no terminal; and what has been written by now. */
export function createContext(socketPath: string, args: readonly string[] = []) {
  const written: string[] = [];
  let exitCode: number | undefined;
  const context: CommandContext = {
    stdout: { write: (text) => void written.push(text) },
    screen: { write: (text) => void written.push(text) },
    stderr: { write: () => undefined },
    columns: 80,
    prompt: undefined,
    version: '0.0.0',
    typed: args,
    readStandardInput: async () => '',
    paint: (style, text) => `<${style}>${text}</${style}>`,
    now: () => now,
    environment: {},
    resolvePlaces: async () => ({ socketPaths: [socketPath], onlyOf: undefined }),
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  return { context, result: (): CommandResult => ({ stdout: written.join(''), exitCode }) };
}
