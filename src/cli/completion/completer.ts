import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { joinLines } from '../present/text.ts';
import { type Candidate, type Candidates, findCandidates } from './find-candidates.ts';
import type { Shell } from './scripts.ts';

/** The command that the scripts of `tributary completion` run at each Tab: `__complete SHELL -- WORDS`. */
export const completerName = '__complete';

/** Adds it, hidden: it is for scripts alone. */
export function registerCompleter(program: Command, context: CommandContext): void {
  program
    .command(completerName, { hidden: true })
    .argument('<shell>')
    .argument('[words...]')
    .action((shell: Shell, words: readonly string[]) => {
      const candidates = findCandidates(program, words);
      context.stdout.write(renderCandidates(candidates, { shell, current: words.at(-1) ?? '' }));
    });
}

/** The kind on the first line, then a candidate a line. bash shows flags also before a `-` is typed. */
export function renderCandidates(
  { kind, words, flags }: Candidates,
  { shell, current }: { readonly shell: Shell; readonly current: string },
): string {
  const shown = shell === 'bash' || current.startsWith('-') ? [...words, ...flags] : words;
  return joinLines([kind, ...shown.map(writeCandidate[shell])]);
}

const writeCandidate: Readonly<Record<Shell, (candidate: Candidate) => string>> = {
  bash: ({ text }) => text,
  zsh: ({ text, summary }) => [text, summary].map((part) => part.replaceAll(':', '\\:')).join(':'),
  fish: ({ text, summary }) => `${text}\t${summary}`,
};
