import type { Command, Option } from 'commander';
import { provideModes } from '../../service/profiles.ts';
import { listCommands, listOptions } from '../visible-commands.ts';

/** A word that can be typed, and what its help says. */
export interface Candidate {
  readonly text: string;
  readonly summary: string;
}

/** What can stand in the place of the last word. The shell lists files and directories itself. */
export interface Candidates {
  readonly kind: 'words' | 'files' | 'directories';
  /** Commands, and the values that an argument or an option takes. */
  readonly words: readonly Candidate[];
  readonly flags: readonly Candidate[];
}

const nothing: Candidates = { kind: 'words', words: [], flags: [] };

/** Reads a command line up to its last word, which may be incomplete, and finds what can stand there. */
export function findCandidates(program: Command, words: readonly string[]): Candidates {
  const current = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  const [, flag] = /^(--[^=]+)=/.exec(current) ?? [];
  const { command, option, given } = readWords(program, [...words.slice(0, -1), ...(flag === undefined ? [] : [flag])]);
  if (option !== undefined) {
    const values = findValues(/[<[](.+?)[>\]]/.exec(option.flags)?.[1], option.argChoices);
    if (flag === undefined) return values;
    return { ...values, words: values.words.map((own) => ({ ...own, text: `${flag}=${own.text}` })) };
  }
  const help = command.createHelp();
  const argument = command.registeredArguments[given];
  const { own, global } = listOptions(command);
  const children = listCommands(command).map((child) => ({ text: child.name(), summary: child.description() }));
  const flags = [...own, ...global].flatMap((each) => {
    const texts = [each.short, each.long].filter((text) => text !== undefined);
    return texts.map((text) => ({ text, summary: help.optionDescription(each) }));
  });
  const values = findValues(argument?.name(), argument?.argChoices);
  return { ...values, words: [...values.words, ...children], flags };
}

/** bash hands over `--profile=x` as three words: the second says nothing. */
export function dropEqualSigns(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== '=');
}

/** The command that the words lead to, how many arguments it has by now, and the option whose value comes next. */
function readWords(program: Command, words: readonly string[]) {
  let command = program;
  let given = 0;
  let option: Option | undefined;
  for (const word of dropEqualSigns(words)) {
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    const child = command.commands.find((own) => own.name() === word);
    option = findValueOption(command, word);
    if (child === undefined && !word.startsWith('-')) given += 1;
    if (child === undefined) continue;
    command = child;
    given = 0;
  }
  return { command, given, option };
}

/** The option of this name that takes a value, of the command or of those above it. */
function findValueOption(command: Command, name: string): Option | undefined {
  const found = command.options.find(({ short, long }) => short === name || long === name);
  if (found === undefined) return command.parent === null ? undefined : findValueOption(command.parent, name);
  return found.required || found.optional ? found : undefined;
}

/** What an argument or a value of this name can be; free text is the owner's to know. */
function findValues(name: string | undefined, choices: readonly string[] | undefined): Candidates {
  if (name === 'file') return { ...nothing, kind: 'files' };
  if (name === 'directory') return { ...nothing, kind: 'directories' };
  const modes = name === 'mode' ? provideModes : name === 'mode|auto' ? [...provideModes, 'auto'] : [];
  return { ...nothing, words: (choices ?? modes).map((text) => ({ text, summary: '' })) };
}
