import type { Command } from 'commander';
import type { CommandContext } from '../cli/context.ts';
import { createProgram } from '../cli/program.ts';

/** The whole command line of the program. No command is run. */
export async function readCommandLine(version: string): Promise<Command> {
  return createProgram([], { ...silent, version });
}

const silent: Omit<CommandContext, 'version'> = {
  stdout: { write: () => true },
  stderr: { write: () => true },
  columns: undefined,
  prompt: undefined,
  readStandardInput: async () => '',
  environment: {},
  paint: (_style, text) => text,
  now: () => new Date(0),
  resolveSocketPaths: async () => [],
  setExitCode: () => undefined,
};
