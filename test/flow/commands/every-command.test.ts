import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { createContext } from '../../unit/cli/run-command.ts';
import { createOwner, expectGolden, goldenNow, runAs } from './command-world.ts';

const clock = { nowMs: goldenNow };
const program = await createProgram([], createContext('/nowhere/tributary.sock').context);
const listAll = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(listAll),
];
const wordsOf = (command: Command): readonly string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
const all = listAll(program).map((command) => ({
  words: wordsOf(command),
  isLeaf: command.commands.length === 0,
  needsArgument: command.registeredArguments.some(({ required }) => required),
}));

/** What the arguments of a command are here; a command that is not named takes none. */
const given: Readonly<Record<string, readonly string[]>> = {
  'device share': ['attic'],
  'device add': ['K7WQ2M4XZP', '--yes'],
  'device confirm': ['K7WQ2M4XZP', '--yes'],
  'device unshare': ['K7WQ2M4XZP', '--yes'],
  'device rename': ['attic', 'loft'],
  'device pair': ['--yes'],
  'device provide': ['attic', 'none'],
  'device remove': ['attic', '--yes'],
  'account add-wallet': ['7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU', '--yes'],
  'account remove-wallet': ['6f0c', '--yes'],
  'account reset-password': ['ada@example.org'],
  'service spec': ['germany'],
  'config get': ['provide.mode'],
  'config set': ['provide.mode', 'none'],
  'config unset': ['provide.mode'],
  'service call': ['wallets'],
};

/**
 * They act on this machine or say what it is like, run until stopped, or ask neither: each has
 * tests of its own.
 */
const acting =
  /^(run|setup|demo|doctor|plan|logout|logs|(re)?start|stop|config (show|edit|schema)|sandbox.*|namespace.*|cleanup|completion|help)$/;

/** Commands that need an argument and have no row in `given`. */
const withoutArgument = all
  .filter(({ words, needsArgument }) => {
    const name = words.join(' ');
    return needsArgument && !acting.test(name) && given[name] === undefined;
  })
  .map(({ words }) => words.join(' '));

/** Each line that was typed, how it ended and what it wrote, one below the other. */
async function tell(
  lines: readonly (readonly string[])[],
  run: (argv: readonly string[]) => ReturnType<typeof runAs>,
): Promise<string> {
  const told: string[] = [];
  for (const line of lines) {
    const { exitCode, stdout, stderr } = await run(line);
    told.push(`$ tributary ${line.join(' ')}\n${stdout}${stderr}[${exitCode}]\n`);
  }
  return told.join('\n');
}

describe('every command', () => {
  test.each([80, 120])('explains itself on %i columns', async (columns) => {
    const lines = all.map(({ words }) => [...words, '--help']);
    const text = await tell(lines, (argv) => runAs(argv, clock, { columns }));
    expect(
      text
        .split('\n')
        .filter((line) => line.length > columns && !/^ {2}(sudo )?tributary /.test(line)),
    ).toEqual([]);
    await expectGolden(`every-help-${columns}.txt`, text);
  });

  test('says what is wrong with its command line, to people and to scripts', async () => {
    const lines = all.flatMap(({ words }) => [
      [...words, '--no-such-option'],
      [...words, '--no-such-option', '--json'],
    ]);
    const text = await tell(lines, (argv) => runAs(argv, clock, {}));
    expect(text.match(/\[64\]$/gm)).toHaveLength(lines.length);
    await expectGolden('every-wrong-option.txt', text);
  });

  test('that needs an argument is given one by these tests', () => {
    expect(withoutArgument, 'add a row to `given`').toEqual([]);
  });

  test.each(['', '--json'])(
    'says so where neither an agent nor a service answers: %s',
    async (json) => {
      // Nobody can answer on this port of an address that is never given out.
      const { run, stateDirectory } = await createOwner(
        'http://127.0.0.1:1',
        'documented',
        'a.token.here',
        clock,
      );
      const lines = all
        .filter(({ words, isLeaf }) => isLeaf && !acting.test(words.join(' ')))
        .map(({ words }) => [
          ...words,
          ...(given[words.join(' ')] ?? []),
          ...(json === '' ? [] : [json]),
        ]);
      const text = await tell(lines, (argv) => run(argv));
      const named = text.replaceAll(stateDirectory.replace(/\/state$/, ''), '/DIRECTORY');
      // It asks both at once: either may be refused first.
      const ordered = named.replaceAll(/account\/payout-wallet(?=:)/g, 'account/wallets');
      await expectGolden(`every-without-service${json}.txt`, ordered);
    },
  );
});
