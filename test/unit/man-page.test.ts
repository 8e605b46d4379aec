import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { listCommands, listOptions } from '../../src/cli/frame/add-command.ts';
import { renderManPage } from '../../tools/docs/man-page.ts';
import { readCommandLine } from '../../tools/docs/program-help.ts';

const program = await readCommandLine();
const page = renderManPage(program);
const listAll = (command: Command): readonly Command[] => [
  command,
  ...listCommands(command).flatMap(listAll),
];
/** Each command with its first line of help. */
const commands = listAll(program).map((command) => {
  return { command, usage: command.createHelp().commandUsage(command).trim() };
});
/** As a reader sees it, but for line breaks. */
const text = page
  .replaceAll(/\\f[BIR]/g, '')
  .replaceAll('\\-', '-')
  .replaceAll('\\(aq', "'")
  .replaceAll('\\(dq', '"');

describe('the manual page', () => {
  test.each(commands.slice(1))('tells of $usage and of all its options', ({ command, usage }) => {
    const start = text.indexOf(`.SS "${usage}"`);
    expect(start).toBeGreaterThan(0);
    const end = text.indexOf('\n.S', start + 1);
    const section = text.slice(start, end);
    const own = listOptions(command).own.filter(({ long }) => long !== '--help');
    expect(own.filter(({ flags }) => !section.includes(`\n${flags}\n`))).toEqual([]);
  });

  test('tells of what every command takes', () => {
    expect(listOptions(program).own.filter(({ flags }) => !text.includes(`\n${flags}\n`))).toEqual(
      [],
    );
  });

  test('shows the examples of the help', () => {
    expect(text).toContain('tributary device share attic --name "Ada\'s attic"');
    expect(text).toContain('tributary sandbox seed --clients 10000 --days 90');
    expect(text).toContain('tributary pause --for 2h');
  });

  test('shows what is typed in bold, without the marks around it', () => {
    expect(page).toContain('the same as \\fBtributary provide none\\fR.');
    expect(page).not.toContain('\\(ga');
  });

  test.runIf(spawnSync('groff', ['--version']).status === 0)(
    'is read by groff without a word of complaint',
    () => {
      const read = spawnSync('groff', ['-man', '-Tascii', '-ww', '-rLL=100n'], {
        input: page,
        encoding: 'utf8',
      });
      expect(read.stderr).toBe('');
      expect(read.stdout).toContain('TRIBUTARY(1)');
    },
  );
});
