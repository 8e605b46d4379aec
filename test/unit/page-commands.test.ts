import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listCommands } from '../../src/cli/frame/add-command.ts';
import { readCommandLine } from '../../tools/docs/program-help.ts';
import { allPages, pages, readBlocks, splitCommands } from '../pages.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Tests that take the shell blocks of a page and run them, one for each block. */
const runners: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['test/systems/clone.test.ts'],
  'docs/install-debian.md': [
    'test/systems/package.test.ts',
    'test/systems/package.test.ts',
    'test/systems/user-unit.test.ts',
  ],
  'docs/getting-started.md': Array.from({ length: 3 }, () => 'test/systems/apt-repository.test.ts'),
  'docs/development/releasing.md': ['test/systems/apt-repository.test.ts'],
  'docs/install-docker.md': [
    'test/systems/docker.test.ts',
    'test/systems/docker.test.ts',
    'test/systems/container.test.ts',
  ],
  'docs/install-raspberry-pi.md': ['test/systems/raspberry-pi.test.ts'],
  'docs/from-source.md': Array.from({ length: 10 }, () => 'test/systems/clone.test.ts'),
  'docs/many-devices.md': ['test/systems/ansible.test.ts', 'test/systems/ansible.test.ts'],
  'docs/modes-and-limits.md': ['test/systems/clone.test.ts'],
  'docs/configuration.md': ['test/systems/clone.test.ts', 'test/systems/clone.test.ts'],
  'docs/monitoring.md': ['test/systems/prometheus.test.ts', 'test/flow/webhook.test.ts'],
  'docs/status-page.md': ['test/systems/clone.test.ts'],
  'docs/development/sandbox.md': ['test/systems/clone.test.ts', 'test/systems/clone.test.ts'],
  'docs/development/measurements.md': Array.from({ length: 5 }, () => 'test/systems/clone.test.ts'),
};

/** Pages whose blocks no test runs, and why. */
const notRun: Readonly<Record<string, string>> = {
  'docs/development/architecture.md': 'it names what contributors run while they change the code',
  'docs/development/testing.md': 'its commands are the test run and the mutation run themselves',
  'docs/install-kubernetes.md':
    'it needs a cluster; test/architecture/container.test.ts checks the manifest and these lines',
  'docs/development/service.md':
    'npm installs the package over the network; test/flow/service-package.test.ts runs its example',
};

/**
 * What the pages name in their sentences beside those: the file that runs it, and its words for it
 * where they are others.
 */
const named: Readonly<Record<string, readonly [file: string, words?: string]>> = {
  'docker run': ['test/systems/docker.test.ts', "readCommentBlock('Dockerfile')"],
  'nft flush ruleset': ['test/systems/systemd.test.ts'],
  'node dist/tributary.cjs': ['test/systems/clone.test.ts'],
  'npm run demo -- --json': ['test/systems/clone.test.ts'],
  'npm run demo -- --keep': ['test/systems/clone.test.ts'],
  'npm run demo -- --profile production': ['test/systems/clone.test.ts'],
  'npm run demo -- --source connect': [
    'test/net/demo.test.ts',
    "demo('--json', '--source', 'connect')",
  ],
  'sudo tributary namespace up': ['test/net/namespace.test.ts', "program('namespace', 'up')"],
  'tributary demo': ['test/systems/package.test.ts'],
  'tributary account provided': [
    'test/flow/commands/account.test.ts',
    "run(['account', 'provided'])",
  ],
  // Both run one table of scenarios, by one function.
  'npm run attack': ['test/attack/container.test.ts', "describeAttack('container')"],
  // Both try some moments and cases in common, by one function.
  'npm run crash': ['test/net/crash.test.ts', 'world.crash(moment)'],
  'npm run fuzz': ['test/unit/fuzz.test.ts', 'tryTarget(target'],
  // Both run one table of faults, by one function.
  'npm run faults': ['test/flow/faults.test.ts', 'runFault(fault)'],
  // By the function that the test calls.
  'npm run docs': ['test/unit/generated-files.test.ts', 'renderGeneratedFiles()'],
  'npm run herd': ['test/unit/herd.test.ts', 'runHerd('],
  'npm run soak': ['test/net/soak.test.ts', 'runSoak('],
  'npm run package': ['test/systems/package-verdict.test.ts', 'makePackage('],
  'openssl rand -hex 16': ['test/systems/clone.test.ts'],
  'ssh -L 9469:127.0.0.1:9469 DEVICE': ['test/systems/docker.test.ts'],
  'sudo apt-get purge tributary': ['test/systems/package.test.ts', 'apt-get purge -y tributary'],
  'sudo apt-get remove tributary': ['test/systems/package.test.ts', 'apt-get remove -y tributary'],
  'sudo systemctl reload tributary': ['test/systems/systemd.test.ts', 'systemctl reload tributary'],
  'sudo tributary config set status.listen 0.0.0.0:9469': [
    'test/systems/systemd.test.ts',
    'tributary config set status.listen 0.0.0.0:9470',
  ],
  'sudo tributary restart': ['test/systems/systemd.test.ts', 'tributary restart'],
  'sudo tributary config set provide.cap.bytes "500 GB"': [
    'test/unit/config/command.test.ts',
    "['provide.cap.bytes', '500 GB'",
  ],
  'sudo tributary config set gateway.enabled true': [
    'test/unit/config/command.test.ts',
    "['gateway.enabled', 'true'",
  ],
  'sudo tributary config set gateway.public_address.upnp true': [
    'test/unit/config/command.test.ts',
    "['gateway.public_address.upnp', 'true'",
  ],
  'sudo tributary logs': [
    'test/unit/cli/commands.test.ts',
    "['logs', 'journalctl --unit tributary --follow'",
  ],
  "sudo tributary provide public --limit '10 Mbit' --for 8h": [
    'test/unit/cli/commands.test.ts',
    "['provide', 'public', '--limit', '10 Mbit', '--for', '8h']",
  ],
  'sudo tributary doctor --bundle help.tar.gz': ['test/systems/clone.test.ts'],
  'sudo npm run test:systems -- test/systems/ways.test.ts': [
    'test/systems/ways.test.ts',
    'each way provides, at a cost',
  ],
  'nft list table inet tributary': [
    'test/net/self-test.test.ts',
    "'list', 'table', 'inet', 'tributary'",
  ],
  'sudo tributary device keep': ['test/net/moved-identity.test.ts', "'device', 'keep'"],
  'sudo tributary device new': ['test/net/moved-identity.test.ts', "'device', 'new'"],
  'sudo tributary plan': ['test/net/plan.test.ts', "['plan', ...args]"],
  'sudo systemctl start tributary': ['test/systems/systemd.test.ts', 'systemctl start tributary'],
  'tributary stats --client this': ['test/flow/commands/stats-local.test.ts', "'--client', 'this'"],
  'tributary health': ['test/systems/clone.test.ts'],
  'sudo tributary login --new-device': ['test/systems/clone.test.ts'],
  'tributary device remove NAME': ['test/flow/commands/device.test.ts', "['device', 'remove', "],
  'tributary service locations': [
    'test/flow/commands/service.test.ts',
    "locations: 'service locations'",
  ],
  'tributary service clients': ['test/flow/commands/service.test.ts', "'service', 'clients'"],
  'tributary plan': ['test/net/plan.test.ts', "['plan', ...args]"],
  'tributary sandbox seed': ['test/flow/simulated-world.test.ts', "'seed',"],
  'tributary stats --local': ['test/systems/clone.test.ts'],
  'tributary status --json': ['test/systems/clone.test.ts'],
  'tributary status --watch': ['test/systems/clone.test.ts'],
};

const serviceGroups = ['service', 'device', 'stats', 'account', 'auth'];

const sentences = Object.entries(pages)
  .flatMap(([path, text]) => (path in notRun ? [] : text))
  .join('\n')
  .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** Code as it is compared: where its lines break says nothing. */
const withoutLayout = (code: string) => code.replace(/\s+/g, '').replace(/,(?=[)\]])/g, '');

describe('a command of the documentation', () => {
  test.each(Object.keys(pages).filter((path) => !(path in notRun)))(
    'in a block of %s is run by a test that reads it there',
    (path) => {
      const files = runners[path] ?? [];
      expect(readBlocks('sh', path)).toHaveLength(files.length);
      for (const file of files)
        expect(withoutLayout(read(file)), file).toContain(
          withoutLayout(`readBlocks('sh', '${path}')`),
        );
    },
  );

  test('that every change has to pass is what every change has to pass', () => {
    expect(splitCommands(readBlocks('sh', 'README.md')[0] ?? '')).toEqual([
      'npm run demo',
      'npm test',
    ]);
    expect(read('.ci/run')).toMatch(/ npm test$/m);
  });

  // README's other blocks are `bash`: they repeat commands that tests run.
  test('that README repeats is in a block of a page, or run by a test', () => {
    const repeated = readBlocks('bash', 'README.md').flatMap(splitCommands);
    const run = [...readBlocks('sh').flatMap(splitCommands), ...Object.keys(named)];
    expect(repeated.length).toBeGreaterThan(3);
    expect(repeated.filter((command) => !run.includes(command))).toEqual([]);
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
      expect(withoutLayout(read(file)), `${command} in ${file}`).toContain(withoutLayout(words));
    }
  });

  // As arguments they are a list of words, on one line or on several.
  const flows = readFolder('test/flow').replaceAll(/',\s*'/g, ' ');

  test('that asks the service, or is shown with its answer, is run against the reference service', async () => {
    const groups = listCommands(await readCommandLine()).filter((group) =>
      serviceGroups.includes(group.name()),
    );
    const asking = groups.flatMap((group) => {
      const below = listCommands(group).filter(({ options }) =>
        options.some(({ long }) => long === '--json'),
      );
      return below.length === 0
        ? [group.name()]
        : below.map((command) => `${group.name()} ${command.name()}`);
    });
    const shown = readBlocks('text').flatMap(
      (text) => text.match(/(?<=^\$ tributary ).*$/gm) ?? [],
    );
    const typed = [...asking, ...shown];
    expect([asking.length > 15, shown]).toEqual([true, ['stats --client kitchen']]);
    expect(typed.filter((words) => !new RegExp(`['\`]${words.trim()}[' \`]`).test(flows))).toEqual(
      [],
    );
  });

  test('in the table of orders is given to the sandbox', () => {
    const names = findRows('| `tributary sandbox …` |').flatMap(
      (row) => /`([a-z-]+)/.exec(row)?.[1] ?? [],
    );
    expect(names).toContain('guest');
    expect(
      names.filter(
        (name) => !new RegExp(`(directory,\\s*|runSandbox\\(\\s*)'${name}\\b`).test(flows),
      ),
    ).toEqual([]);
  });
});

/** The first cells of the table whose header begins with `header`. */
function findRows(header: string): readonly string[] {
  const [table = ''] = allPages.slice(allPages.indexOf(header)).split('\n\n');
  return table
    .split('\n')
    .slice(2)
    .map((line) => line.split(' | ')[0] ?? '');
}

function readFolder(path: string): string {
  const entries = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
  return entries
    .flatMap((name) => (name.endsWith('.ts') ? [read(join(path, name))] : []))
    .join('\n');
}
