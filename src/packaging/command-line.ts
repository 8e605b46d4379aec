import type { Command } from 'commander';
import { type CommandNode, toCommandTree } from '../cli/completion/command-tree.ts';
import type { CommandContext } from '../cli/context.ts';
import { createProgram } from '../cli/program.ts';

export interface CommandLine {
  readonly root: CommandNode;
  /** What stands below the help of some commands, by the command's path joined by spaces. */
  readonly examples: ReadonlyMap<string, string>;
}

/** The whole command line of the program, as its help shows it. No command is run. */
export async function readCommandLine(version: string): Promise<CommandLine> {
  const program = await createProgram(['help'], version, silent);
  return { root: toCommandTree(program), examples: new Map(readExamples(program, [])) };
}

function readExamples(command: Command, path: readonly string[]): readonly (readonly [string, string])[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => void written.push(text) });
  command.outputHelp();
  // The help itself comes first, what was added to it after that.
  const own = [path.join(' '), written.slice(1).join('')] as const;
  return [own, ...command.commands.flatMap((child) => readExamples(child, [...path, child.name()]))];
}

const silent: CommandContext = {
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
