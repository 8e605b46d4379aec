import type { Command, Option } from 'commander';

/**
 * The commands directly below this one, as its help lists them. `help` is left out, because every
 * command has --help.
 */
export function listCommands(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((own) => own.name() !== 'help');
}

/** A command's own options as its help lists them, and the options that every command has. */
export function listOptions(command: Command): {
  readonly own: readonly Option[];
  readonly global: readonly Option[];
} {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  return { own: help.visibleOptions(command), global: help.visibleGlobalOptions(command) };
}
