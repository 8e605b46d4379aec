import type { Command } from 'commander';
import { elsewhere, further } from '../../src/cli/frame/add-command.ts';
import type { CommandContext } from '../../src/cli/frame/context.ts';
import { createProgram } from '../../src/cli/program.ts';

/** The whole command line of the program. No command is run. */
export function readCommandLine(): Promise<Command> {
  return createProgram([], silent);
}

/** The usage in the words of the help: `tributary device share [options] <client>`. */
export function readUsage(command: Command): string {
  return command.createHelp().commandUsage(command).trim();
}

/** The examples below a command's help, without its blank lines and its heading. */
export function readExamples(command: Command): readonly string[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => void written.push(text) });
  command.outputHelp();
  // The help itself is written first, and the texts added to it after that.
  const lines = written.slice(1).join('').split('\n');
  return lines.filter((line) => !['', 'Examples:', elsewhere, ...further].includes(line.trim()));
}

/** A context without a prompt, a reader or an agent. */
export const silent: CommandContext = {
  stdout: { write: () => true },
  screen: { write: () => true },
  stderr: { write: () => true },
  columns: undefined,
  prompt: undefined,
  version: '0.0.0',
  typed: [],
  readStandardInput: async () => '',
  environment: {},
  paint: (_style, text) => text,
  now: () => new Date(0),
  resolvePlaces: async () => ({ socketPaths: [], onlyOf: undefined }),
  setExitCode: () => undefined,
};
