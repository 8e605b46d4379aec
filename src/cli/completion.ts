import { Argument, type Command } from 'commander';
import { completionScripts, type Shell } from './completion/scripts.ts';
import type { CommandContext } from './context.ts';

/** Adds `tributary completion bash|zsh|fish`: a script that completes every command. The package installs all three. */
export function registerCompletion(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('completion for a shell, to be loaded by it; the packages install it by themselves')
    .addArgument(new Argument('<shell>', 'what completes').choices(Object.keys(completionScripts)))
    .addHelpText(
      'after',
      '\nExample:\n  tributary completion bash > ~/.local/share/bash-completion/completions/tributary\n',
    )
    .action((shell: Shell) => void context.stdout.write(completionScripts[shell]));
}
