import type { Command, Option } from 'commander';
import { toPlainText } from '../../lib/plain-text.ts';
import { provideModes } from '../../service/profiles.ts';
import { joinLines } from '../present/text.ts';
import { completerName, listCommands, listOptions } from './add-command.ts';
import type { Shell } from './completion-scripts.ts';
import type { CommandContext } from './context.ts';
import { readNames } from './known-names.ts';

export function registerCompleter(program: Command, context: CommandContext): void {
  program
    .command(completerName, { hidden: true })
    .argument('<shell>')
    .argument('[words...]')
    .action(async (shell: Shell, words: readonly string[]) => {
      const shown = { shell, current: words.at(-1) ?? '' };
      const candidates = findCandidates(program, words);
      const named = await listNamed(candidates.named, context);
      context.stdout.write(
        renderCandidates({ ...candidates, words: [...named, ...candidates.words] }, shown),
      );
    });
}

/** The possible values of an argument with this name, if they are not written in the command. */
async function listNamed(
  argument: string | undefined,
  context: CommandContext,
): Promise<readonly Candidate[]> {
  if (argument === 'key') {
    const { listConfigKeys } = await import('../../config/keys.ts');
    return listConfigKeys().map(({ name }) => ({ text: name, summary: '' }));
  }
  const { [argument ?? '']: names = [] } = await readNames(context);
  // A shell would take such a name apart, so the id is completed instead.
  return names.flatMap(({ id, name }) => {
    const text = [name, id].find((own) => /^\w[\w.-]*$/.test(own));
    return text === undefined
      ? []
      : [{ text, summary: text === id ? toPlainText(name) : toPlainText(id) }];
  });
}

/**
 * The kind on the first line, then one candidate on each line. bash is given the flags even before
 * a `-` is typed.
 */
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

type Candidate = Readonly<Record<'text' | 'summary', string>>;

/** What may come in the place of the last word. The shell lists files and directories itself. */
interface Candidates {
  readonly kind: 'words' | 'files' | 'directories';
  readonly words: readonly Candidate[];
  readonly flags: readonly Candidate[];
  /** The argument whose value comes next. */
  readonly named?: string | undefined;
}

/**
 * Reads a command line up to its last word, which may be incomplete, and finds what may come there.
 */
export function findCandidates(program: Command, words: readonly string[]): Candidates {
  const [, flag] = /^(--[^=]+)=/.exec(words.at(-1) ?? '') ?? [];
  const { command, option, given } = readWords(program, [
    ...words.slice(0, -1),
    ...(flag === undefined ? [] : [flag]),
  ]);
  if (option !== undefined) {
    const values = findValues(/[<[](.+?)[>\]]/.exec(option.flags)?.[1], option.argChoices);
    const joined = values.words.map((own) => ({
      ...own,
      text: flag === undefined ? own.text : `${flag}=${own.text}`,
    }));
    // A shell that passes `--client=x` as one word would replace all of it.
    return { ...values, words: joined, named: flag === undefined ? values.named : undefined };
  }
  const { own, global } = listOptions(command);
  const flags = [...own, ...global].flatMap((each) => {
    const texts = [each.short, each.long].filter((text) => text !== undefined);
    return texts.map((text) => ({ text, summary: command.createHelp().optionDescription(each) }));
  });
  const argument = command.registeredArguments[given];
  const values = findValues(argument?.name(), argument?.argChoices);
  const children = listCommands(command).map((child) => ({
    text: child.name(),
    summary: child.description(),
  }));
  return { ...values, words: [...values.words, ...children], flags };
}

/**
 * The command that the words lead to, how many of its arguments are given, and the option whose
 * value comes next.
 */
function readWords(program: Command, words: readonly string[]) {
  let command = program;
  let given = 0;
  let option: Option | undefined;
  // bash passes `--profile=x` as three words, of which the second means nothing.
  for (const word of words.filter((text) => text !== '=')) {
    const isValue = option !== undefined;
    option = isValue ? undefined : findValueOption(command, word);
    const child = isValue ? undefined : command.commands.find((own) => own.name() === word);
    if (child !== undefined) given = 0;
    else if (!isValue && !word.startsWith('-')) given += 1;
    command = child ?? command;
  }
  return { command, given, option };
}

function findValueOption(command: Command, name: string): Option | undefined {
  const found = command.options.find(({ short, long }) => short === name || long === name);
  if (found === undefined)
    return command.parent === null ? undefined : findValueOption(command.parent, name);
  return found.required || found.optional ? found : undefined;
}

/**
 * The possible values of an argument or option with this name, except the names at the service,
 * which `listNamed` finds.
 */
function findValues(name: string | undefined, choices: readonly string[] | undefined): Candidates {
  const kind = name === 'file' ? 'files' : name === 'directory' ? 'directories' : 'words';
  const modes =
    name === 'mode' ? provideModes : name === 'mode|auto' ? [...provideModes, 'auto'] : [];
  return {
    kind,
    words: (choices ?? modes).map((text) => ({ text, summary: '' })),
    flags: [],
    named: name,
  };
}
