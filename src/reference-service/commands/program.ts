import { Command, type Option } from 'commander';
import { escapeUnseen } from '../../lib/plain-text.ts';
import { SandboxError } from '../errors.ts';
import manifest from '../package.json' with { type: 'json' };
import type { SandboxCommand } from './command.ts';
import { createSandboxCommands } from './sandbox-commands.ts';

/** The name of the program that has the sandbox's commands and nothing else. */
export const programName = 'tributary-sandbox';

/** Where the program writes. */
export interface Output {
  write(text: string): unknown;
}

/**
 * The program: without a command's word it runs the service. Parsing a command line runs it.
 * @throws SandboxError, or CommanderError, whose exit code is 0 for help that was asked for
 */
export function createSandboxProgram(stdout: Output): Command {
  const { serve, others, shared } = createSandboxCommands(programName);
  const program = new Command(programName)
    .version(manifest.version, '-V, --version')
    .showSuggestionAfterError()
    .configureOutput({ writeOut: (text) => void stdout.write(text), outputError: () => undefined })
    .exitOverride()
    .helpCommand(false);
  complete(program, serve, stdout);
  const options = program.options.filter(({ long }) => shared.includes(long ?? ''));
  for (const other of others) {
    const command = program.command(other.usage).configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: () => options,
    });
    complete(command, other, stdout);
  }
  return program;
}

function complete(command: Command, own: SandboxCommand<unknown>, stdout: Output): void {
  command.description(own.description);
  for (const [flags, meant] of Object.entries(own.options)) {
    const [meaning, finish] = typeof meant === 'string' ? [meant] : meant;
    const option = command.createOption(flags, meaning);
    command.addOption(finish?.(option) ?? takeOnce(command, option));
  }
  const examples = Object.entries(own.examples).map(([line, does]) => `  # ${does}\n  ${line}`);
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  command.action(async () => {
    const options = command.optsWithGlobals<{ readonly json?: boolean }>();
    const show = async (result: unknown, render: () => string) =>
      void stdout.write(options.json === true ? renderJson(result) : render());
    await own.act({ words: command.args, options, show }, { now: () => new Date() });
  });
}

/** Refuses a second value of an option, because commander would drop the first. */
function takeOnce(command: Command, option: Option): Option {
  if (!option.required) return option;
  return option.argParser((text) => {
    if (command.optsWithGlobals()[option.attributeName()] === undefined) return text;
    throw new SandboxError('usage-invalid', `${option.long} was given twice`);
  });
}

/** One line. What is undefined inside the program is null in JSON. */
function renderJson(value: unknown): string {
  return `${escapeUnseen(JSON.stringify(value, (_key, inner: unknown) => inner ?? null))}\n`;
}
