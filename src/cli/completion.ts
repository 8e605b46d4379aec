import { Argument, type Command } from 'commander';
import type { CommandNode } from './completion/command-tree.ts';
import type { CommandContext } from './context.ts';

const renderers: Readonly<Record<string, () => Promise<(root: CommandNode) => string>>> = {
  bash: async () => (await import('./completion/bash.ts')).renderBashCompletion,
  zsh: async () => (await import('./completion/zsh.ts')).renderZshCompletion,
  fish: async () => (await import('./completion/fish.ts')).renderFishCompletion,
};

/** Adds `tributary completion bash|zsh|fish`: a script that completes every command. The package installs all three. */
export function registerCompletion(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('completion for a shell, to be loaded by it; the packages install it by themselves')
    .addArgument(new Argument('<shell>', 'what completes').choices(Object.keys(renderers)))
    .addHelpText(
      'after',
      '\nExample:\n  tributary completion bash > ~/.local/share/bash-completion/completions/tributary\n',
    )
    .action(async (shell: string) => {
      const { toCommandTree } = await import('./completion/command-tree.ts');
      const render = await renderers[shell]?.();
      if (render !== undefined) context.stdout.write(render(toCommandTree(program)));
    });
}
