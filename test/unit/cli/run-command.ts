import { Command } from 'commander';
import type { CommandContext } from '../../../src/cli/context.ts';
import { now } from '../health/sample-facts.ts';

export interface CommandResult {
  readonly stdout: string;
  readonly exitCode: number | undefined;
}

/** Runs one command line against the agent on `socketPath`; errors come through as main would see them. */
export async function runCommand(
  register: (program: Command, context: CommandContext) => void,
  socketPath: string,
  args: readonly string[],
): Promise<CommandResult> {
  const written: string[] = [];
  let exitCode: number | undefined;
  const program = new Command('tributary').exitOverride().configureOutput({ writeErr: () => undefined });
  register(program, {
    stdout: { write: (text) => void written.push(text) },
    stderr: { write: () => undefined },
    columns: 80,
    prompt: undefined,
    readStandardInput: async () => '',
    paint: (style, text) => `<${style}>${text}</${style}>`,
    now: () => now,
    environment: {},
    resolveSocketPaths: async () => [socketPath],
    setExitCode: (code) => {
      exitCode = code;
    },
  });
  await program.parseAsync(args, { from: 'user' });
  return { stdout: written.join(''), exitCode };
}
