import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBlocks, readme, splitCommands } from '../readme-blocks.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Tests that take the shell blocks of a section from the README and run them, one for each block. */
const runners: Readonly<Record<string, readonly string[]>> = {
  'See it work': ['test/systems/clone.test.ts'],
  'On a host': ['test/systems/package.test.ts', 'test/systems/user-unit.test.ts'],
  'In a container': ['test/systems/docker.test.ts'],
  'On a Raspberry Pi': ['test/systems/raspberry-pi.test.ts'],
  'From a clone, by hand': Array.from({ length: 10 }, () => 'test/systems/clone.test.ts'),
  'Modes and limits': ['test/systems/clone.test.ts'],
  Configuration: ['test/systems/clone.test.ts', 'test/systems/clone.test.ts'],
  'Seeing what it does': ['test/systems/clone.test.ts'],
  'The reference service': ['test/systems/clone.test.ts', 'test/systems/clone.test.ts'],
  Footprint: Array.from({ length: 3 }, () => 'test/systems/clone.test.ts'),
};

/** What the README names in its sentences beside those: the file that runs it, and its words for it where they are others. */
const named: Readonly<Record<string, readonly [file: string, words?: string]>> = {
  'docker run': ['test/systems/docker.test.ts', "readCommentBlock('Dockerfile')"],
  'nft flush ruleset': ['test/systems/systemd.test.ts'],
  'node dist/tributary.cjs': ['test/systems/clone.test.ts'],
  'npm run demo -- --json': ['test/systems/clone.test.ts'],
  'npm run demo -- --keep': ['test/systems/clone.test.ts'],
  'npm run demo -- --profile production': ['test/systems/clone.test.ts'],
  // The same scenarios, by the same function.
  'npm run attack': ['test/attack/container.test.ts', "describeAttack('container')"],
  'npm run package': ['test/systems/package-verdict.test.ts', 'makePackage('],
  'openssl rand -hex 16': ['test/systems/clone.test.ts'],
  'ssh -L 9469:127.0.0.1:9469 DEVICE': ['test/systems/docker.test.ts'],
  'sudo apt-get purge tributary': ['test/systems/package.test.ts', 'apt-get purge -y tributary'],
  'sudo tributary doctor --bundle help.tar.gz': ['test/systems/clone.test.ts'],
  'sudo npm run test:systems -- test/systems/ways.test.ts': [
    'test/systems/ways.test.ts',
    'each way provides, at a cost',
  ],
  'tributary health': ['test/systems/clone.test.ts'],
  'tributary login --new-device': ['test/systems/clone.test.ts'],
  'tributary network clients': ['test/flow/commands/network.test.ts', "'network', 'clients'"],
  'tributary sandbox seed': ['test/flow/simulated-world.test.ts', "'seed',"],
  'tributary stats --local': ['test/systems/clone.test.ts'],
  'tributary status --json': ['test/systems/clone.test.ts'],
  'tributary status --watch': ['test/systems/clone.test.ts'],
};

const sections = [...readme.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
const sentences = readme.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

describe('a command of the README', () => {
  test.each(sections)('in a block of "%s" is run by a test that reads it there', (section) => {
    const files = runners[section] ?? [];
    expect(readBlocks('sh', section)).toHaveLength(files.length);
    for (const file of files) expect(read(file), file).toContain(`readBlocks('sh', '${section}')`);
  });

  test('that every change has to pass is what every change has to pass', () => {
    expect(splitCommands(readBlocks('sh', 'See it work')[0] ?? '')).toEqual(['npm run demo', 'npm test']);
    expect(read('.ci/run')).toMatch(/ npm test$/m);
  });

  test('in a sentence is in a block too, or run by a test', () => {
    const programs = /^(sudo|tributary|npm|node|docker|ssh|openssl|nft|systemctl|loginctl) [^…]*$/;
    const blocks = readBlocks('sh').join('\n') + Object.keys(named).join('\n');
    const commands = [...sentences.matchAll(/`([^`]+)`/g)]
      .map(([, text = '']) => text)
      .filter((text) => programs.test(text));
    expect(commands.filter((command) => !blocks.includes(command))).toEqual([]);
    expect(Object.keys(named).filter((command) => !commands.includes(command))).toEqual([]);
    for (const [command, [file, words = command]] of Object.entries(named)) {
      expect(read(file), `${command} in ${file}`).toContain(words);
    }
  });

  // As arguments they are a list of words, on one line or on several.
  const flows = readFolder('test/flow').replaceAll(/',\s*'/g, ' ');

  test('in the table of commands, or shown with its answer, is run against the reference service', () => {
    const listed = findRows('| `tributary …` |').flatMap((row) => row.match(/(?<=`)[a-z]+[a-z -]*(?=[ `])/g) ?? []);
    const shown = readBlocks('text').flatMap((text) => text.match(/(?<=^\$ tributary ).*$/gm) ?? []);
    const typed = [...listed, ...shown];
    expect([listed.length > 15, shown]).toEqual([true, ['stats --client kitchen']]);
    expect(typed.filter((words) => !new RegExp(`['\`]${words.trim()}[' \`]`).test(flows))).toEqual([]);
  });

  test('in the table of orders is given to the sandbox', () => {
    const names = findRows('| `tributary sandbox …` |').flatMap((row) => /`([a-z-]+)/.exec(row)?.[1] ?? []);
    expect(names).toContain('guest');
    expect(names.filter((name) => !new RegExp(`(directory, |runSandbox\\(\\s*)'${name}\\b`).test(flows))).toEqual([]);
  });
});

/** The first cells of the table whose header begins with `header`. */
function findRows(header: string): readonly string[] {
  const [table = ''] = readme.slice(readme.indexOf(header)).split('\n\n');
  return table
    .split('\n')
    .slice(2)
    .map((line) => line.split(' | ')[0] ?? '');
}

function readFolder(path: string): string {
  const entries = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
  return entries.flatMap((name) => (name.endsWith('.ts') ? [read(join(path, name))] : [])).join('\n');
}
