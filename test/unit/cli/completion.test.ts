import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { renderBashCompletion } from '../../../src/cli/completion/bash.ts';
import { type CommandNode, listCommands, listValueFlags } from '../../../src/cli/completion/command-tree.ts';
import { renderFishCompletion } from '../../../src/cli/completion/fish.ts';
import { renderZshCompletion } from '../../../src/cli/completion/zsh.ts';
import { readCommandLine } from '../../../src/packaging/command-line.ts';

const { root } = await readCommandLine('0.0.0');
const commands = listCommands(root);
const directory = mkdtempSync(join(tmpdir(), 'tributary-completion-'));
afterAll(() => rmSync(directory, { recursive: true }));

const scripts = {
  bash: renderBashCompletion(root),
  zsh: renderZshCompletion(root),
  fish: renderFishCompletion(root),
};
for (const [shell, text] of Object.entries(scripts)) writeFileSync(join(directory, shell), text);
const script = (shell: keyof typeof scripts) => join(directory, shell);
const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

/** What bash would offer for these words, each line as one list. */
function completeInBash(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const asks = lines.map((words) => {
    const all = ['tributary', ...words].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${all}); COMP_CWORD=${words.length}; COMPREPLY=(); _tributary; echo "\${COMPREPLY[*]}"`;
  });
  const said = execFileSync('bash', ['-c', `source ${script('bash')}\n${asks.join('\n')}`], { encoding: 'utf8' });
  return said
    .split('\n')
    .slice(0, lines.length)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

function completeInFish(line: string): readonly string[] {
  const ask = `source ${script('fish')}; complete -C '${line}'`;
  const said = execFileSync('fish', ['-c', ask], { encoding: 'utf8', env: { ...process.env, HOME: directory } });
  return said.split('\n').flatMap((answer) => answer.split('\t')[0] || []);
}

const toNames = (command: CommandNode) => command.children.map(({ path }) => path.at(-1) ?? '');
const toFirstWords = ({ arguments: [first] }: CommandNode) => (first?.value.kind === 'words' ? first.value.words : []);
const toFlags = (command: CommandNode) => command.options.flatMap(({ flags }) => flags);

describe('the command tree', () => {
  test('has every command of the program, and its own options below', () => {
    expect(toNames(root)).toEqual(expect.arrayContaining(['run', 'login', 'device', 'sandbox', 'completion']));
    const share = commands.find(({ path }) => path.join(' ') === 'device share');
    expect(share && toFlags(share)).toEqual(expect.arrayContaining(['--name', '--qr', '--json', '--help', '--config']));
  });

  test('an option takes a value in every command or in none, so that words can be stepped over', () => {
    const withValue = new Set(listValueFlags(root));
    const bare = commands.flatMap(({ options }) => options.filter(({ value }) => value === undefined));
    expect(bare.flatMap(({ flags }) => flags).filter((flag) => withValue.has(flag))).toEqual([]);
  });
});

describe('in bash', () => {
  test('every command offers what its help shows', () => {
    const offered = completeInBash(commands.map(({ path }) => [...path, '']));
    expect(commands.map(({ path }, index) => [path, offered[index]])).toEqual(
      commands.map((command) => [command.path, [...toFirstWords(command), ...toNames(command), ...toFlags(command)]]),
    );
  });

  test.each<readonly [readonly string[], readonly string[]]>([
    [['dev'], ['device']],
    [['device', 'sh'], ['share']],
    [['--config', 'x', 'device', 'sh'], ['share']],
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
    [['nonsense', ''], []],
  ])('%j offers %j', (words, expected) => {
    expect(completeInBash([words])[0]?.filter((word) => !word.startsWith('-') || words.at(-1) !== '')).toEqual(
      words[0] === 'nonsense' ? toNames(root) : expected,
    );
  });

  test('where a file is wanted, files are offered', () => {
    expect(completeInBash([['--config', script('fish').slice(0, -1)]])[0]).toEqual([script('fish')]);
  });
});

describe.runIf(isThere('zsh'))('in zsh', () => {
  test('the script can be read', () => {
    expect(spawnSync('zsh', ['-n', script('zsh')], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([
    ['tributary devi', 'ce'],
    ['tributary device ass', 'ociations'],
    ['tributary sandbox --prof', 'ile'],
    ['tributary sandbox --profile prod', 'uction'],
    ['tributary device provide attic frie', 'nds'],
    ['tributary provide a', 'uto'],
  ])('a Tab after "%s" adds "%s"', (line, expected) => {
    const ask = `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source ${script('zsh')}; print re''ady'
      zpty -r shell said '*ready*'
      zpty -w -n shell $'${line}\\t'
      zpty -r shell said '*${expected}*' && print -r -- "$said"`;
    const { stdout, status } = spawnSync('zsh', ['-f', '-c', ask], { encoding: 'utf8', timeout: 20_000 });
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining(expected) });
  });
});

test('zsh has a function for every command', () => {
  const missing = commands.filter(
    ({ path }) => !scripts.zsh.includes(`${['_tributary', ...path].join('_').replaceAll('-', '_')}() {`),
  );
  expect(missing).toEqual([]);
});

describe.runIf(isThere('fish'))('in fish', () => {
  test('every group offers its commands', () => {
    const groups = commands.filter(({ children }) => children.length > 0);
    expect(groups.map((group) => [...completeInFish(['tributary', ...group.path, ''].join(' '))].sort())).toEqual(
      groups.map((group) => [...toNames(group)].sort()),
    );
  });

  test.each([
    ['tributary sandbox --profile ', ['documented', 'production']],
    ['tributary --config x device sh', ['share']],
    ['tributary --config device statu', ['status']],
    ['tributary device provide attic fr', ['friends']],
    ['tributary provide au', ['auto']],
    ['tributary device share --na', ['--name']],
  ])('"%s" offers %j', (line, expected) => {
    expect(completeInFish(line)).toEqual(expected);
  });
});

test('fish has a line for every option of every command', () => {
  const options = commands.flatMap(({ path, options: own }) =>
    own.flatMap(({ flags }) => flags.filter((flag) => flag.startsWith('--')).map((flag) => [path.join('/'), flag])),
  );
  const lines = scripts.fish.split('\n');
  const missing = options.filter(
    ([path, flag]) =>
      !lines.some((line) => line.includes(`__tributary_at /${path}'`) && line.includes(` -l ${flag?.slice(2)} `)),
  );
  expect(missing).toEqual([]);
});
