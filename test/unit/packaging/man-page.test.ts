import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { listCommands, listOptions } from '../../../src/cli/visible-commands.ts';
import { readCommandLine, renderManPage } from '../../../src/packaging/man-page.ts';

const program = await readCommandLine('1.2.3');
const ending = readFileSync(join(import.meta.dirname, '../../../docs/man-page-end.roff'), 'utf8');
const page = renderManPage({ program, ending, version: '1.2.3', dateSeconds: 86_400 });
const listAll = (command: Command): readonly Command[] => [command, ...listCommands(command).flatMap(listAll)];
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
    expect(listOptions(program).own.filter(({ flags }) => !text.includes(`\n${flags}\n`))).toEqual([]);
  });

  test('shows the examples of the help', () => {
    expect(text).toContain('tributary device share attic --name "Ada\'s attic"');
    expect(text).toContain('tributary sandbox seed --clients 10000 --days 90');
    expect(text).toContain('tributary pause --for 2h');
  });

  test('says of which version and day it is, and of no other', () => {
    expect(text.split('\n')[0]).toBe('.TH TRIBUTARY 1 "1970-01-02" "tributary 1.2.3" "User Commands"');
    expect(renderManPage({ program, ending, version: '1.2.3', dateSeconds: 86_400 })).toBe(page);
  });

  test.runIf(spawnSync('groff', ['--version']).status === 0)('is read by groff without a word of complaint', () => {
    const read = spawnSync('groff', ['-man', '-Tascii', '-ww', '-rLL=100n'], { input: page, encoding: 'utf8' });
    expect(read.stderr).toBe('');
    expect(read.stdout).toContain('TRIBUTARY(1)');
  });
});
