import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toExitCode } from '../../src/cli/frame/exit-code.ts';
import { listConfigKeys, listNamesBelow } from '../../src/config/keys.ts';
import { configSchema } from '../../src/config/schema.ts';
import { TributaryError } from '../../src/errors/codes.ts';
import { isErrorCode, reasonCodes } from '../../src/health/reasons.ts';
import { statistics } from '../../src/health/statistics.ts';
import { provideModes } from '../../src/service/profiles.ts';
import { modeWords } from '../../src/status/mode-words.ts';
import { readCommandLine } from '../../tools/docs/program-help.ts';
import { allPages, pages, readBlocks } from '../pages.ts';

const root = join(import.meta.dirname, '../..');

/** The rows of the table whose header begins with `header`, as cells. */
function findRows(header: string): readonly (readonly string[])[] {
  const lines = allPages.split('\n');
  const rows: string[][] = [];
  for (const line of lines.slice(lines.findIndex((text) => text.startsWith(header)) + 2)) {
    if (!line.startsWith('|')) return rows;
    rows.push(
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
  }
  return rows;
}

function listQuoted(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted);
}

/** The words after `tributary` in the shell examples, up to a comment or a redirection. */
const commandLines = readBlocks('sh')
  .flatMap((block) => block.split('\n'))
  .flatMap(
    (line) =>
      /(?:^|\s)tributary +((?:--)?[a-z][^#<>|]*)/.exec(
        line.replace(
          /netns exec tributary|docker exec( --\S+)* tributary|kubectl .* -- |kubectl .*/,
          '',
        ),
      )?.[1] ?? [],
  )
  .map((words) => words.trim().split(/\s+/));

/**
 * The first word of a command line that names no command and no option of ours; undefined where all
 * are known.
 */
function findUnknown(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  for (const word of words) {
    const inner = command.commands.find((candidate) => candidate.name() === word);
    if (inner !== undefined) command = inner;
    else if (command === program && !word.startsWith('-')) return word;
    else if (word.startsWith('--') && !command.options.some((option) => option.long === word))
      return word;
  }
  return undefined;
}

describe('the documentation', () => {
  test('names only commands and options that there are', async () => {
    const program = await readCommandLine();
    expect(commandLines.length).toBeGreaterThan(10);
    const unknown = commandLines.map((words) => findUnknown(program, words));
    expect(unknown.filter((word) => word !== undefined)).toEqual([]);
  });

  test.each(readBlocks('yaml'))('shows a configuration that is taken: %j', (text) => {
    const service = { base_url: 'https://service.example' };
    expect(configSchema.safeParse({ service, ...parse(text) }).error).toBeUndefined();
  });

  test('mentions only keys that there are', () => {
    const names = listNamesBelow([]) ?? [];
    const sections = names.filter((name) => listNamesBelow([name]) !== undefined).join('|');
    const paths = listConfigKeys().flatMap(({ path }) =>
      path.map((_, index) => path.slice(0, index + 1).join('.')),
    );
    // The fields of JSON documents look like keys.
    const { 'docs/json-output.md': _, ...others } = pages;
    const mentioned = listQuoted(
      Object.values(others)
        .join('\n')
        .replaceAll(/^ *```[\s\S]*?^ *```$/gm, ''),
    ).flatMap((text) => new RegExp(`^(?:${sections})\\.[a-z0-9_.]+`).exec(text)?.[0] ?? []);
    expect(mentioned).toContain('gateway.permit_seconds');
    expect(mentioned.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('has a heading for each code that status can name, with what to do, and for no other', () => {
    const sections = (pages['docs/troubleshooting.md'] ?? '').split(/^##+ /m);
    const explained = sections.flatMap((text) => /^`([a-z0-9-]+)`\n\n\S/.exec(text)?.[1] ?? []);
    expect(explained.toSorted()).toEqual(reasonCodes.toSorted());
  });

  test('lists the exit codes that its errors end with', () => {
    const failures = reasonCodes
      .filter(isErrorCode)
      .map((code) => toExitCode(new TributaryError(code, 'failed')));
    const others = [
      toExitCode(new Error('a bug')),
      toExitCode(new TributaryError('usage-invalid', 'misused')),
      0,
      1,
      141,
    ];
    const listed = findRows('| code | meaning').map(([code]) => Number(code));
    expect(listed).toEqual(
      [...new Set([...failures, ...others])].toSorted((one, other) => one - other),
    );
  });

  test('explains every mode, in the words of the page and the commands', () => {
    const rows = findRows('| mode |').map(([mode = '', meaning = '']) => [
      listQuoted(mode)[0],
      meaning.split(';')[0],
    ]);
    expect(rows).toEqual(provideModes.map((mode) => [mode, modeWords[mode].who]));
  });

  test('names only metrics that there are', () => {
    const named = [...allPages.matchAll(/`(tributary_[a-z_]*[a-z])`/g)].map(([, name]) => name);
    const existing: readonly string[] = [
      ...statistics.map(({ name }) => name),
      'tributary_host',
      'tributary_denied',
    ];
    // The variables of the Ansible role are named alike.
    const variables = Object.keys(
      parse(readFileSync(join(root, 'config/ansible/roles/tributary/defaults/main.yml'), 'utf8')),
    );
    expect(variables).toContain('tributary_deb');
    expect(named.filter((name) => ![...existing, ...variables].includes(name ?? ''))).toEqual([]);
  });
});

const decisions = 'docs/development/decisions';
const listFiles = (folder: string) =>
  readdirSync(join(root, folder), { encoding: 'utf8', recursive: true });
const documents = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...listFiles('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];

/** Where the links of a document lead, from the root; links to other sites are left out. */
function listTargets(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) =>
    join(dirname(file), target),
  );
}

describe('the documents', () => {
  test.each(documents)('the links of %s lead somewhere', (file) => {
    expect(listTargets(file).filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });

  // The recipes of the architecture page name files in short.
  test.each(
    documents.filter((file) => file.startsWith('docs/') && !file.endsWith('architecture.md')),
  )('the files that %s names are there', (file) => {
    const named = listQuoted(readFileSync(join(root, file), 'utf8')).filter((text) =>
      /^(src|test)\/\S+$/.test(text),
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('every decision has its date and is in the list, once', () => {
    const files = listFiles(decisions).filter((name) => name !== 'README.md');
    expect(files.filter((name) => !/^20\d\d-[01]\d-[0-3]\d(-[a-z0-9]+)+\.md$/.test(name))).toEqual(
      [],
    );
    const listed = listTargets(`${decisions}/README.md`).map((target) =>
      relative(decisions, target),
    );
    expect(listed.toSorted()).toEqual(files.toSorted());
  });

  test('the list gives each decision the title that it has', () => {
    const list = readFileSync(join(root, decisions, 'README.md'), 'utf8');
    const titles = [...list.matchAll(/^- \[(.+)\]\((.+)\)$/gm)].map(
      ([, title = '', name = '']) => ({ title, name }),
    );
    expect(titles.length).toBeGreaterThan(20);
    const own = (name: string) =>
      /^# (.+)\n/.exec(readFileSync(join(root, decisions, name), 'utf8'))?.[1];
    expect(titles.filter(({ title, name }) => own(name) !== title)).toEqual([]);
  });
});
