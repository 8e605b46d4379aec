import { defineCommand } from '../../frame/command.ts';
import { completionScripts, type Shell } from '../../frame/completion-scripts.ts';

/**
 * Prints the completion script of a shell. The package installs the scripts of all three shells.
 */
export const completion = defineCommand({
  usage: 'completion <shell>',
  description: 'print the completion script for a shell; the packages install it for you',
  arguments: { shell: ['the shell to complete in', ...Object.keys(completionScripts)] },
  examples: {
    'tributary completion bash > ~/.local/share/bash-completion/completions/tributary':
      'for this user, in bash',
  },
  async act({ words: [shell] }, { stdout }) {
    stdout.write(completionScripts[shell as Shell]);
  },
});
