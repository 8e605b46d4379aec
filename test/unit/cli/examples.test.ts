import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { listCommands } from '../../../src/cli/frame/add-command.ts';
import { readCommandLine, readExamples } from '../../../tools/docs/program-help.ts';

const program = await readCommandLine();
const listAll = (command: Command): readonly Command[] => [
  command,
  ...listCommands(command).flatMap(listAll),
];
const examples = [...new Set(listAll(program).flatMap(readExamples))].filter((line) =>
  /^ +tributary /.test(line),
);

/** The words of a line as a shell makes them, up to the two blanks before what it does. */
function readWords(line: string): readonly string[] {
  const typed =
    line
      .trim()
      .split(/ {2,}/)[0]
      ?.split(/ [|<>]/)[0] ?? '';
  const words = typed.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll(/["']/g, ''));
}

/** What of a line the program would refuse; undefined: nothing. */
function findRefused(words: readonly string[], command: Command): string | undefined {
  const below = command.commands.find((own) => own.name() === words[0]);
  if (below !== undefined) return findRefused(words.slice(1), below);
  const { operands, unknown: rest } = command.parseOptions([...words]);
  // Below `sandbox`, its own options are taken too.
  const unknown = command.parent?.parseOptions(rest).unknown ?? rest;
  if (unknown.length > 0) return `unknown: ${unknown.join(' ')}`;
  const least = command.registeredArguments.filter(({ required }) => required).length;
  const most = command.registeredArguments.some(({ variadic }) => variadic)
    ? Number.POSITIVE_INFINITY
    : command.registeredArguments.length;
  const isRight = operands.length >= least && operands.length <= most;
  return isRight ? undefined : `${operands.length} arguments for ${command.name()}`;
}

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(40);
});

test.each(examples)('can be typed:%s', async (line) => {
  // A program reads one command line.
  expect(findRefused(readWords(line), await readCommandLine())).toBeUndefined();
});
