import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../../../src/config/schema.ts';
import { judgePhase } from '../../../../src/health/phase.ts';
import { createProvidingWorld } from '../agent-world.ts';

const noon = Date.UTC(2026, 0, 1, 12);

type GatewayKeys = Partial<Config['gateway']>;

async function createListWorld(
  named: readonly string[] = [],
  toGateway: (file: string) => GatewayKeys = (file) => ({ deny_destinations: [...named, file] }),
) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-lists-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'drop.txt');
  await writeFile(path, '198.51.100.0/24\n');
  const world = await createProvidingWorld({
    gateway: toGateway(`file:${path}`),
  });
  const { machine, facts, loop } = world;
  return {
    ...world,
    path,
    /** What the kernel refuses: the sets that rules look into, with what is in them. */
    denied: (chain: 'denied' | 'bad' = 'denied') => {
      const lines = machine.print().split('\n');
      const looked = lines.flatMap(
        (line) => new RegExp(`"chain":"${chain}",.*"comment":"(\\w+)"`).exec(line)?.[1] ?? [],
      );
      // By what is in them: the names are hashes.
      return looked
        .map((name) =>
          lines
            .find((line) => line.includes('"set"') && line.includes(`"name":"${name}"`))
            ?.replace(/.*"elem":/, ''),
        )
        .sort();
    },
    async pass() {
      await loop.tick();
      const { phase, reasons } = judgePhase(facts(), new Date(noon));
      // The firewall cannot be tried on a fake machine, which is another matter.
      return { phase, reasons: reasons.filter(({ code }) => code.startsWith('list-')) };
    },
    /**
     * Writes the file with a comment that differs each time: the file system's clock may not move
     * between two writes of one length.
     */
    write: (text: string) => writeFile(path, `${text}\n# ${performance.now()}\n`),
  };
}

test('destinations that are denied by name or by file are in the kernel before any traffic passes', async () => {
  const world = await createListWorld(['192.0.2.7']);
  expect(world.denied()).toEqual(['["192.0.2.7"]}}', '["198.51.100.0/24"]}}']);
  expect(world.isOpen()).toBe(true);
});

test('a file that changes is read again; nothing is run for one that does not', async () => {
  const world = await createListWorld();
  const changes = world.machine.changes();
  await world.loop.tick();
  // The permit alone.
  expect(world.machine.changes()).toBe(changes + 1);
  await world.write('203.0.113.0/24');
  await world.loop.tick();
  expect(world.denied()).toEqual(['["203.0.113.0/24"]}}']);
  expect(world.machine.print()).not.toContain('198.51.100.0/24"]');
});

test('a file that breaks or vanishes keeps its last list, and status names the line', async () => {
  const world = await createListWorld();
  await world.write('198.51.100.0/24\noops');
  const { phase, reasons } = await world.pass();
  expect([phase, world.isOpen()]).toEqual(['providing', true]);
  expect(reasons.map(({ code, message }) => [code, message])).toEqual([
    [
      'list-refused',
      expect.stringMatching(/drop\.txt:2: found "oops".*as it was read before stays in force/),
    ],
  ]);
  await rm(world.path);
  expect((await world.pass()).reasons[0]?.message).toContain('there is no such file');
  expect(world.denied()).toEqual(['["198.51.100.0/24"]}}']);
  await world.write('203.0.113.0/24');
  expect((await world.pass()).reasons).toEqual([]);
  expect(world.denied()).toEqual(['["203.0.113.0/24"]}}']);
});

test('a file that was never read closes the gateway until it can be', async () => {
  const world = await createListWorld();
  const { configuration } = world.sections;
  const later = `${world.path}.later`;
  const gateway = {
    ...configuration.config.gateway,
    deny_destinations: [`file:${world.path}`, `file:${later}`],
  };
  configuration.config = { ...configuration.config, gateway };
  const { phase, reasons } = await world.pass();
  expect([phase, world.isOpen()]).toEqual(['blocked', false]);
  expect(reasons[0]).toMatchObject({
    code: 'list-refused',
    message: `${later}: there is no such file`,
  });
  await writeFile(later, '2001:db8::/32');
  expect((await world.pass()).phase).toBe('providing');
  expect(world.denied()).toEqual(['["198.51.100.0/24"]}}', '["2001:db8::/32"]}}']);
});

test('once the owner denies nothing, the table is removed and no longer looked for', async () => {
  const world = await createListWorld();
  const { configuration } = world.sections;
  configuration.config = {
    ...configuration.config,
    gateway: { ...configuration.config.gateway, deny_destinations: [] },
  };
  await world.loop.tick();
  expect(world.machine.print()).not.toContain('denied {');
  const asked: string[] = [];
  world.tamper((command) => {
    asked.push(command.args.join(' '));
    return world.machine.exec(command);
  });
  await world.loop.tick();
  expect(asked.filter((args) => args.includes('ruleset'))).toEqual([]);
});

const strictly = (file: string): GatewayKeys => ({ strict_rules: 'always', bad_addresses: [file] });

test('bad addresses are in the kernel where the strict rules hold, before any traffic passes', async () => {
  const world = await createListWorld([], strictly);
  expect([world.denied('bad'), world.denied()]).toEqual([['["198.51.100.0/24"]}}'], []]);
  expect(world.isOpen()).toBe(true);
});

test.each<GatewayKeys>([{ strict_rules: 'auto' }, { strict_rules: 'never' }])(
  'with %j a tunnel has no strict rules, and needs no list that there is not',
  async (gateway) => {
    const world = await createListWorld([], (file) => ({
      bad_addresses: [`${file}.missing`],
      ...gateway,
    }));
    expect(world.machine.print()).not.toContain('"chain":"strict"');
    expect(world.denied('bad')).toEqual([]);
    expect(world.isOpen()).toBe(true);
  },
);

test('a broken line of bad addresses is left out and named, and the rest is in force', async () => {
  const world = await createListWorld([], strictly);
  await world.write('203.0.113.0/24\noops');
  const { phase, reasons } = await world.pass();
  expect([phase, world.isOpen()]).toEqual(['providing', true]);
  expect(reasons.map(({ code, message }) => [code, message])).toEqual([
    ['list-lines-skipped', expect.stringMatching(/left out: .*drop\.txt:2: found "oops"/)],
  ]);
  expect(world.denied('bad')).toEqual(['["203.0.113.0/24"]}}']);
  await world.write('203.0.113.0/24');
  expect((await world.pass()).reasons).toEqual([]);
});

test('a file of bad addresses that changes is in force with the next pass, and nothing is run for one that does not', async () => {
  const world = await createListWorld([], strictly);
  const changes = world.machine.changes();
  await world.loop.tick();
  // The permit alone.
  expect(world.machine.changes()).toBe(changes + 1);
  await world.write('203.0.113.0/24');
  await world.loop.tick();
  expect(world.denied('bad')).toEqual(['["203.0.113.0/24"]}}']);
  // As a program writes it that fetches a list: another file takes its name.
  await writeFile(`${world.path}.new`, '192.0.2.0/24');
  await rename(`${world.path}.new`, world.path);
  expect((await world.pass()).reasons).toEqual([]);
  expect(world.denied('bad')).toEqual(['["192.0.2.0/24"]}}']);
});

test('a file of bad addresses that breaks keeps its last list', async () => {
  const world = await createListWorld([], strictly);
  await world.write('<html>\n<body>');
  const { phase, reasons } = await world.pass();
  expect([phase, reasons[0]?.code]).toEqual(['providing', 'list-refused']);
  expect(reasons[0]?.message).toContain('as it was read before stays in force');
  expect(world.denied('bad')).toEqual(['["198.51.100.0/24"]}}']);
});

test('a file of bad addresses that would shut out everyone keeps its last list, and that is said', async () => {
  const world = await createListWorld([], strictly);
  await world.write('0.0.0.0/1\n128.0.0.0/1');
  const { phase, reasons } = await world.pass();
  expect([phase, world.isOpen()]).toEqual(['providing', true]);
  expect(reasons.map(({ code, message }) => [code, message])).toEqual([
    [
      'list-refused',
      expect.stringMatching(
        /drop\.txt: together its lines cover all IPv4 addresses\. .*stays in force/,
      ),
    ],
  ]);
  expect(world.denied('bad')).toEqual(['["198.51.100.0/24"]}}']);
});

test('a file of bad addresses that was never read closes the gateway while the strict rules hold', async () => {
  const world = await createListWorld([], (file) => ({
    strict_rules: 'always',
    bad_addresses: [`${file}.later`],
  }));
  const { phase, reasons } = await world.pass();
  expect([phase, world.isOpen()]).toEqual(['blocked', false]);
  expect(reasons[0]?.message).toContain('there is no such file');
  await writeFile(`${world.path}.later`, '2001:db8::/32');
  expect((await world.pass()).phase).toBe('providing');
  expect(world.denied('bad')).toEqual(['["2001:db8::/32"]}}']);
});
