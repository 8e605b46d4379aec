import { Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { printError, toExitCode } from '../../../../src/cli/frame/exit-code.ts';
import { errorKinds, TributaryError } from '../../../../src/errors/codes.ts';
import { sandboxErrorCodes } from '../../../../src/reference-service/errors.ts';
import { ServiceError } from '../../../../src/service/errors.ts';

function print(error: unknown, isJson: boolean): string {
  const written: string[] = [];
  printError(error, { stderr: { write: (text) => void written.push(text) }, isJson });
  return written.join('');
}

function provokeCommanderError(args: readonly string[]): unknown {
  const silent = { writeErr: () => undefined, writeOut: () => undefined };
  try {
    new Command('tributary')
      .exitOverride()
      .configureOutput(silent)
      .version('1')
      .parse(args, { from: 'user' });
    return undefined;
  } catch (error) {
    return error;
  }
}

test('an error in the journal has its priority on each line, and no text forges another', () => {
  const written: string[] = [];
  const stderr = { write: (text: string) => void written.push(text) };
  const error = new TributaryError('configuration-invalid', 'two problems:\n<0>first\r<0>\nsecond');
  printError(error, { stderr, isJson: false, isForJournal: true });
  const lines = written.join('').trimEnd().split('\n');
  expect(lines.slice(0, 3)).toEqual([
    '<3>tributary: two problems:',
    '<3><0>first <0>',
    '<3>second',
  ]);
  expect(lines.at(-1)).toMatch(/^<3> {2}> /);
});

describe('exit codes', () => {
  test('every code of the sandbox has one, although the agent does not know the sandbox', () => {
    expect(Object.keys(errorKinds)).toEqual(expect.arrayContaining([...sandboxErrorCodes]));
  });

  test.each([
    { error: new TributaryError('usage-invalid', ''), exitCode: 64 },
    { error: new TributaryError('service-refused', ''), exitCode: 65 },
    { error: new ServiceError('service-failed', ''), exitCode: 69 },
    { error: new TributaryError('service-unreachable', ''), exitCode: 69 },
    { error: new TributaryError('output-failed', ''), exitCode: 74 },
    { error: new TributaryError('rate-limited', ''), exitCode: 75 },
    // The service is started again after it, and no change of the configuration has to wake it.
    { error: new TributaryError('state-unreadable', ''), exitCode: 75 },
    { error: new TributaryError('state-unwritable', ''), exitCode: 75 },
    { error: new TributaryError('signed-out', ''), exitCode: 77 },
    { error: new TributaryError('not-allowed', ''), exitCode: 77 },
    { error: new TributaryError('configuration-invalid', ''), exitCode: 78 },
    { error: new TypeError('a bug'), exitCode: 70 },
    { error: 'thrown text', exitCode: 70 },
  ])('$error is $exitCode', ({ error, exitCode }) => {
    expect(toExitCode(error)).toBe(exitCode);
  });

  test('help and version are done, an unknown option is usage', () => {
    expect(
      ['--help', '--version', '--nonsense'].map((option) =>
        toExitCode(provokeCommanderError([option])),
      ),
    ).toEqual([0, 0, 64]);
  });
});

describe('an error', () => {
  test('of a part that an upgrade took away is no bug to report', async () => {
    const error = await import('./no-such-part.ts' as string).catch((reason: unknown) => reason);
    const missing = Object.assign(new Error('gone'), { code: 'MODULE_NOT_FOUND' });
    for (const one of [missing, error])
      expect(print(one, false)).toMatch(/upgraded: start it again/);
    expect(print(new TypeError('a bug'), false)).toContain('please report it');
  });

  const error = new TributaryError('not-running', 'asking the agent: nothing answers');

  test('is one line for people and what to do', () => {
    expect(print(error, false)).toBe(
      'tributary: asking the agent: nothing answers\n  > Start the agent: sudo systemctl start tributary (without the package: tributary run)\n',
    );
  });

  test('is one object for scripts', () => {
    expect(JSON.parse(print(error, true))).toEqual({
      error: {
        code: 'not-running',
        message: 'asking the agent: nothing answers',
        action: expect.stringContaining('tributary run'),
      },
    });
  });

  test('lets no text of a stranger steer the terminal', () => {
    const hostile = new TributaryError('service-refused', 'one\ntwo\u001b[2J\u202e');
    expect(print(hostile, false)).toContain('tributary: one two?[2J?\n');
  });

  test('that is a bug says so', () => {
    expect(JSON.parse(print(new RangeError('too deep'), true)).error).toMatchObject({
      code: 'bug',
      message: 'too deep',
    });
  });

  test('that stands for printed help prints nothing more', () => {
    expect(print(new CommanderError(1, 'commander.help', '(outputHelp)'), false)).toBe('');
  });
});
