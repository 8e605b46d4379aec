import type { Command, Option } from 'commander';
import { provideModes } from '../../service/profiles.ts';

/** A command as its own help shows it, for completion and for the manual. */
export interface CommandNode {
  /** From below the program's own name: `['device', 'share']`; empty for the program. */
  readonly path: readonly string[];
  readonly summary: string;
  /** As in the help: `tributary device share [options] <client>`. */
  readonly usage: string;
  readonly options: readonly OptionNode[];
  readonly arguments: readonly ArgumentNode[];
  readonly children: readonly CommandNode[];
}

export interface OptionNode {
  /** As they are typed: `-V`, `--version`. */
  readonly flags: readonly string[];
  /** As in the help: `--config <file>`. */
  readonly usage: string;
  /** With its choices and its default, as in the help. */
  readonly summary: string;
  /** What follows it; undefined where nothing does. */
  readonly value: ValueNode | undefined;
  /** True where it is an option of every command. */
  readonly isGlobal: boolean;
}

export interface ArgumentNode {
  readonly name: string;
  /** Empty where the help says nothing of it. */
  readonly summary: string;
  readonly value: ValueNode;
}

/** What can stand in a place; `text` is the owner's to know. */
export type ValueNode =
  | { readonly kind: 'words'; readonly name: string; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'directory' | 'text'; readonly name: string };

/** Everything that can be typed, read from the help of a program with all of its commands. */
export function toCommandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  const toOptions = (options: readonly Option[], isGlobal: boolean) =>
    options.map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined),
      usage: option.flags,
      summary: help.optionDescription(option),
      value: toOptionValue(option),
      isGlobal,
    }));
  return {
    path,
    summary: command.description(),
    usage: help.commandUsage(command).trim(),
    options: [
      ...toOptions(help.visibleOptions(command), false),
      ...toOptions(help.visibleGlobalOptions(command), true),
    ],
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      summary: argument.description,
      value: toValue(argument.name(), argument.argChoices),
    })),
    // `help` repeats what every command has as --help.
    children: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => toCommandTree(child, [...path, child.name()])),
  };
}

/** A command and all below it, each before its own. */
export function listCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(listCommands)];
}

/** Options that a value follows, of any command: a reader of words has to step over it. */
export function listValueFlags(root: CommandNode): readonly string[] {
  const options = listCommands(root).flatMap((command) => command.options);
  return [...new Set(options.flatMap(({ flags, value }) => (value === undefined ? [] : flags)))].sort();
}

function toOptionValue(option: Option): ValueNode | undefined {
  if (!option.required && !option.optional) return undefined;
  return toValue(/[<[](.+?)[>\]]/.exec(option.flags)?.[1] ?? 'value', option.argChoices);
}

function toValue(name: string, choices: readonly string[] | undefined): ValueNode {
  if (choices !== undefined) return { kind: 'words', name, words: choices };
  if (name === 'mode') return { kind: 'words', name, words: provideModes };
  if (name === 'mode|auto') return { kind: 'words', name, words: [...provideModes, 'auto'] };
  if (name === 'file' || name === 'directory') return { kind: name, name };
  return { kind: 'text', name };
}
