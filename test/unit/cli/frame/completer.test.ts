import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { listCommands } from '../../../../src/cli/frame/add-command.ts';
import { findCandidates, renderCandidates } from '../../../../src/cli/frame/completer.ts';
import { completionScripts, type Shell } from '../../../../src/cli/frame/completion-scripts.ts';
import { keepNames } from '../../../../src/cli/frame/known-names.ts';
import { createProgram } from '../../../../src/cli/program.ts';
import { readCommandLine, silent } from '../../../../tools/docs/program-help.ts';

const program = await readCommandLine();
// As `tributary help --all` lists them.
program.configureHelp({ ...program.configureHelp(), visibleCommands: listCommands });
const root = join(import.meta.dirname, '../../../..');
const directory = mkdtempSync(join(tmpdir(), 'tributary-completion-'));
afterAll(() => rmSync(directory, { recursive: true }));

// What the scripts ask: the program from its source.
writeFileSync(
  join(directory, 'tributary'),
  `#!/bin/sh\nexec '${process.execPath}' '${root}/src/tributary.ts' "$@"\n`,
);
chmodSync(join(directory, 'tributary'), 0o755);
for (const [shell, text] of Object.entries(completionScripts))
  writeFileSync(join(directory, shell), text);
const script = (shell: Shell) => join(directory, shell);
const environment = {
  ...process.env,
  HOME: directory,
  PATH: `${directory}:${process.env.PATH}`,
  // Without it each Tab would have the types stripped from every file again.
  NODE_COMPILE_CACHE: join(directory, 'cache'),
};
const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

interface Listed {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Every command with the words that lead to it, as the help of each names those below. */
function listAll(command: Command, path: readonly string[] = []): readonly Listed[] {
  const below = readHelp(command).filter((name) => name !== 'help');
  const children = below.flatMap(
    (name) => command.commands.find((own) => own.name() === name) ?? [],
  );
  return [
    { path, command },
    ...children.flatMap((child) => listAll(child, [...path, child.name()])),
  ];
}

/** The first words of the lines below the headings of commands in a command's help. */
function readHelp(command: Command): readonly string[] {
  const sections = command.helpInformation().split('\n\n');
  const lines = sections
    .filter((section) => headings.test(section))
    .flatMap((section) => section.split('\n'));
  return lines.flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
}

const headings =
  /^(Commands|Every day|Set up|Your devices and account|Seldom|For the system and for development):/;

/** Options as the help shows them: `-V, --version`. */
function readFlags(command: Command): readonly string[] {
  const help = command.helpInformation();
  return [...help.matchAll(/^ {2}(-\w)?(?:, )?(--[\w-]+)?.*$/gm)].flatMap(([, short, long]) =>
    [short, long].filter((flag) => flag !== undefined),
  );
}

const commands = listAll(program);
const complete = (...words: readonly string[]) => findCandidates(program, words);
const listTexts = (candidates: readonly { readonly text: string }[]) =>
  candidates.map(({ text }) => text);

describe('the completer', () => {
  test('knows every command of the program, and its options', () => {
    const paths = commands.map(({ path }) => path.join(' '));
    expect(paths).toEqual(
      expect.arrayContaining(['run', 'login', 'device share', 'sandbox seed', 'completion']),
    );
    const flags = listTexts(complete('device', 'share', '').flags);
    expect(flags).toEqual(
      expect.arrayContaining(['--name', '--qr', '--json', '--help', '--config']),
    );
  });

  test.each(commands)('offers what the help of $path shows', ({ path, command }) => {
    const { words, flags } = complete(...path, '');
    const names = readHelp(command).filter((name) => name !== 'help');
    const values = listTexts(words).slice(0, words.length - names.length);
    expect(listTexts(words)).toEqual([...values, ...names]);
    expect(values.length > 0).toBe(path[0] === 'completion' || path.join(' ') === 'provide');
    // Options that every command has are listed in the program's help alone.
    const isShared = path[0] === 'sandbox' && path.length > 1;
    const known = new Set([...readFlags(command), ...(isShared ? [] : readFlags(program))]);
    expect(listTexts(flags).toSorted()).toEqual([...known].toSorted());
  });

  test.each(['zsh', 'fish'] as const)('tells in %s what each option is for', (shell) => {
    const unclear = commands.flatMap(({ path }) => {
      const { words, flags } = complete(...path, '-');
      const lines = renderCandidates(
        { kind: 'words', words, flags },
        { shell, current: '-' },
      ).split('\n');
      return flags.filter(({ text, summary }) => {
        const written =
          shell === 'zsh' ? `${text}:${summary.replaceAll(':', '\\:')}` : `${text}\t${summary}`;
        return summary === '' || !lines.includes(written);
      });
    });
    expect(unclear).toEqual([]);
  });

  test('shows options in zsh and fish only where one was begun', () => {
    const candidates = complete('device', '');
    for (const shell of ['zsh', 'fish'] as const) {
      expect(renderCandidates(candidates, { shell, current: '' })).not.toMatch(/^-/m);
      expect(renderCandidates(candidates, { shell, current: '-' })).toMatch(/^--json|^--help/m);
    }
    expect(renderCandidates(candidates, { shell: 'bash', current: '' })).toMatch(/^--help$/m);
  });

  test.each<readonly [readonly string[], string]>([
    [['--config', ''], 'files'],
    [['--config=/e'], 'files'],
    [['--config', '=', '/e'], 'files'],
    [['device', 'list', '--state-dir', ''], 'directories'],
    [['sandbox', '--data', ''], 'directories'],
    [['doctor', '--bundle', ''], 'files'],
    [['stats', '--last', ''], 'words'],
  ])('%j asks for %s', (words, kind) => {
    expect(findCandidates(program, words)).toMatchObject({ kind, words: [], flags: [] });
  });

  test.each([
    ['sandbox', '--profile=d'],
    ['--config', 'x', 'sandbox', '--profile='],
  ])('values of an option that is joined to them come with it: %j', (...words) => {
    expect(listTexts(complete(...words).words)).toEqual([
      '--profile=documented',
      '--profile=production',
    ]);
  });

  test('offers what the service named last, and the keys of the configuration', async () => {
    const environment = { XDG_CACHE_HOME: join(directory, 'names') };
    const complete = async (...words: readonly string[]) => {
      const said: string[] = [];
      const context = {
        ...silent,
        environment,
        stdout: { write: (text: string) => void said.push(text) },
      };
      const argv = ['__complete', 'bash', '--', ...words, ''];
      await (await createProgram(argv, context)).parseAsync(argv, { from: 'user' });
      return said
        .join('')
        .split('\n')
        .filter((line) => /^[^-]/.test(line));
    };
    expect(await complete('device', 'share')).toEqual(['words']);
    const hostile = [{ id: '$(reboot)', name: 'a;b' }];
    await keepNames(
      'client',
      [{ id: '6f', name: 'attic' }, { id: '7a', name: 'two words' }, ...hostile],
      {
        environment,
      },
    );
    await keepNames('wallet', [{ id: '8c', name: '' }], { environment });
    expect(await complete('device', 'share')).toEqual(['words', 'attic', '7a']);
    const file = join(directory, 'names/tributary/names.json');
    const { ino } = statSync(file);
    await keepNames('wallet', [{ id: '8c', name: '' }], { environment });
    expect(statSync(file).ino).toBe(ino);
    expect(await complete('stats', '--client')).toEqual(['words', 'attic', '7a']);
    expect(await complete('account', 'payout-wallet')).toEqual(['words', '8c']);
    expect(await complete('config', 'set')).toEqual(
      expect.arrayContaining(['provide.mode', 'service.base_url']),
    );
    writeFileSync(file, '{"client":[{"id":7},null],"wallet":"x"}');
    expect(await complete('device', 'share')).toEqual(['words']);
  });

  test('is asked over a hidden command, which loads no more than the command that it is about', async () => {
    const said: string[] = [];
    const context = { ...silent, stdout: { write: (text: string) => void said.push(text) } };
    const argv = ['__complete', 'bash', '--', '--config', 'status', 'device', 'sha'];
    const asked = await createProgram(argv, context);
    await asked.parseAsync(argv, { from: 'user' });
    expect(said.join('').split('\n').slice(0, 3)).toEqual(['words', 'list', 'show']);
    expect(asked.commands.map((own) => own.name())).toEqual(['device', '__complete']);
    expect(asked.helpInformation()).not.toContain('__complete');
  });
});

/** What bash offers for these words, each line as one list. */
function completeInBash(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const asks = lines.map((words) => {
    const all = ['tributary', ...words].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${all}); COMP_CWORD=${words.length}; COMPREPLY=(); _tributary; echo "\${COMPREPLY[*]}"`;
  });
  const said = execFileSync('bash', ['-c', `source ${script('bash')}\n${asks.join('\n')}`], {
    encoding: 'utf8',
    env: environment,
  });
  return said
    .split('\n')
    .slice(0, lines.length)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

/** What fish offers for each of these lines. */
function completeInFish(lines: readonly string[]): readonly (readonly string[])[] {
  const asks = lines.map((line) => `complete -C '${line}'; echo ---`);
  const said = execFileSync('fish', ['-c', `source ${script('fish')}; ${asks.join('; ')}`], {
    encoding: 'utf8',
    env: environment,
  });
  return said
    .split('---\n')
    .slice(0, lines.length)
    .map((answers) => answers.split('\n').flatMap((answer) => answer.split('\t')[0] || []));
}

const groupNames = commands.filter(({ path }) => path.length === 1).map(({ path }) => path.join());

describe('in bash', () => {
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [['dev'], ['device']],
    [['device', 'sha'], ['share']],
    [['--config', 'x', 'device', 'sha'], ['share']],
    [['--config', 'device', 'statu'], ['status']],
    [['--config', '=', 'device', 'statu'], ['status']],
    [
      ['sandbox', '--profile', ''],
      ['documented', 'production'],
    ],
    [['sandbox', '--profile', '=', 'doc'], ['documented']],
    [
      ['sandbox', '--profile', '='],
      ['documented', 'production'],
    ],
    [['provide', 'pub'], ['public']],
    [['provide', 'au'], ['auto']],
    [['device', 'provide', 'attic', 'au'], []],
    [['device', 'provide', 'attic', 'fr'], ['friends']],
    [['device', 'provide', 'fr'], []],
    [['device', 'share', 'device', '--na'], ['--name']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['provide', '--for', ''], []],
    [['nonsense', ''], groupNames],
    // Where a file is wanted, files are offered.
    [['--config', script('fish').slice(0, -1)], [script('fish')]],
    [['--config', '=', script('fish').slice(0, -1)], [script('fish')]],
    [['--state-dir', directory.slice(0, -1)], [directory]],
  ];
  const offered = completeInBash(cases.map(([words]) => words));

  test.each(cases.map(([words, expected], index) => [words, expected, index] as const))(
    '%j offers %j',
    (words, expected, index) => {
      expect(
        offered[index]?.filter((word) => !word.startsWith('-') || words.at(-1) !== ''),
      ).toEqual(expected);
    },
  );

  test('options are offered before one is begun', () => {
    const afterGroup = completeInBash([['device', '']])[0];
    expect(afterGroup).toEqual(expect.arrayContaining(['share', '--help', '--config']));
  });
});

describe.runIf(isThere('zsh'))('in zsh', () => {
  test('the script can be read', () => {
    expect(spawnSync('zsh', ['-n', script('zsh')], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  test.each([
    ['tributary devi', 'ce'],
    ['tributary device ass', 'ociations'],
    ['tributary sandbox --prof', 'ile'],
    ['tributary sandbox --profile prod', 'uction'],
    ['tributary sandbox --profile=prod', 'uction'],
    ['tributary device provide attic frie', 'nds'],
    ['tributary provide a', 'uto'],
    [`tributary --config ${directory}/fi`, 'sh'],
    [`tributary --config=${directory}/fi`, 'sh'],
  ])('a Tab after "%s" adds "%s"', (line, expected) => {
    const ask = `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source ${script('zsh')}; print re''ady'
      zpty -r shell said '*ready*'
      zpty -w -n shell $'${line}\\t'
      zpty -r shell said '*${expected}*' && print -r -- "$said"`;
    const { stdout, status } = spawnSync('zsh', ['-f', '-c', ask], {
      encoding: 'utf8',
      timeout: 60_000,
      env: environment,
    });
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(expected),
    });
  });
});

describe.runIf(isThere('fish'))('in fish', () => {
  test('every group offers its commands', () => {
    const groups = commands.filter(({ command }) => command.commands.length > 0);
    const offered = completeInFish(groups.map(({ path }) => ['tributary', ...path, ''].join(' ')));
    expect(offered.map((names) => [...names].sort())).toEqual(
      groups.map(({ command }) => [...readHelp(command)].filter((name) => name !== 'help').sort()),
    );
  });

  test.each([
    ['tributary sandbox --profile ', ['documented', 'production']],
    ['tributary sandbox --profile=doc', ['--profile=documented']],
    ['tributary --config x device sh', ['share', 'show']],
    ['tributary --config device statu', ['status']],
    ['tributary device provide attic fr', ['friends']],
    ['tributary provide au', ['auto']],
    ['tributary device share --na', ['--name']],
    [`tributary --config ${script('fish').slice(0, -1)}`, [script('fish')]],
    [`tributary --config=${script('fish').slice(0, -1)}`, [`--config=${script('fish')}`]],
    [`tributary --state-dir ${directory.slice(0, -1)}`, [`${directory}/`]],
  ])('"%s" offers %j', (line, expected) => {
    expect(completeInFish([line])).toEqual([expected]);
  });
});
