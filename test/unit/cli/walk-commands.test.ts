import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { createContext } from './run-command.ts';

const { context } = createContext('/nowhere/tributary.sock');
const program = await createProgram([], context);
const listAll = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(listAll),
];
const nameInFull = (command: Command): string =>
  command.parent === null ? command.name() : `${nameInFull(command.parent)} ${command.name()}`;
const commands = listAll(program).map((command) => [nameInFull(command), command] as const);

describe('every command', () => {
  test('is among those that are walked', () => {
    const names = commands.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['tributary service providers', 'tributary sandbox wallet']),
    );
    expect(commands.length).toBeGreaterThan(40);
  });

  test.each(commands)('loses no word to an option before it: %s', (_name, command) => {
    const variadic = command.options.filter((option) => option.variadic);
    expect(variadic.map(({ flags }) => flags)).toEqual([]);
    const takesWords = command.registeredArguments.length > 0 || command.commands.length > 0;
    const swallowing = takesWords ? command.options.filter((option) => option.optional) : [];
    expect(swallowing.map(({ flags }) => flags)).toEqual([]);
  });

  test.each(commands)('knows of what it was given and does not know: %s', async (name) => {
    const argv = [
      ...name.split(' ').slice(1),
      ...(name.includes('sandbox') ? ['--data', 'x'] : []),
      '--no-such-option',
    ];
    const failure = await (await createProgram(argv, context))
      .parseAsync(argv, { from: 'user' })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(failure).toMatchObject({
      code: 'usage-invalid',
      message: expect.stringContaining("unknown option '--no-such-option'"),
      action: expect.stringMatching(new RegExp(`^See how it is used: ${name}( \\S+)* --help$`)),
    });
  });
});
