import { describe, expect, test } from 'vitest';
import { startNastyService } from '../nasty-service.ts';
import { createOwner, expectGolden, goldenNow } from './command-world.ts';
import { createHousehold } from './household.ts';
import { createNetworkWorld } from './service-world.ts';
import { keys, openTerminal } from './terminal.ts';

/** Each list with its first column that has a name of its own. */
const lists = [
  ['device list', 'name', 'devices'],
  ['service clients', 'name', 'clients'],
  ['service providers', 'rank', 'providers'],
  ['service locations', 'place', 'locations'],
  ['service locations new', 'place', 'locations'],
  ['service reliability', 'country', 'countryMultipliers'],
  ['service leaderboard', 'network', 'earners'],
  ['stats', 'device', 'providers'],
] as const;

describe.each(lists)('tributary %s', (line, column, key) => {
  test('is CSV, sorted, filtered and limited', async () => {
    const { run } = await createNetworkWorld();
    const show = async (...options: readonly string[]) => {
      const { exitCode, stdout, stderr } = await run([...line.split(' '), ...options]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      return stdout;
    };
    const lastOf = (csv: string) =>
      csv.replaceAll('"', '').split('\r\n\r\n')[0]?.trimEnd().split('\r\n') ?? [];
    const [title, ...cells] = lastOf(await show('--csv', '--columns', column));
    expect(title).toBe(column);
    const [, ...backwards] = lastOf(
      await show('--csv', '--columns', column, '--sort', `-${column}`),
    );
    const compare = new Intl.Collator('en', { numeric: true }).compare;
    expect(backwards).toEqual(
      cells
        .map((cell) => cell.trim())
        .toSorted(compare)
        .toReversed(),
    );
    const wanted = backwards[0] ?? '';
    const filtered = lastOf(
      await show('--csv', '--columns', column, '--filter', `${column}=${wanted}`),
    ).slice(1);
    expect(filtered).toContain(wanted);
    expect(filtered.every((cell) => cell.includes(wanted))).toBe(true);
    expect(JSON.parse(await show('--json', '--limit', '1'))[key]).toHaveLength(1);
    expect(await show('--filter', 'no such text anywhere')).toBe(
      'No row contains no such text anywhere.\n',
    );
  });

  test('explains no mark below a table without its column', async () => {
    const { run } = await createNetworkWorld();
    const show = async (...options: readonly string[]) =>
      (await run([...line.split(' '), ...options])).stdout.split('\n');
    const isLegend = (row: string) => /^[*+] [a-z]/.test(row);
    expect((await show('--columns', column)).filter(isLegend)).toEqual([]);
    const marked = ['service locations', 'service leaderboard'];
    expect([line, (await show()).some(isLegend)]).toEqual([line, marked.includes(line)]);
  });

  test('names its columns where another is asked for', async () => {
    const { run } = await createNetworkWorld();
    const { exitCode, stderr } = await run([...line.split(' '), '--sort', 'colour']);
    expect(exitCode).toBe(64);
    expect(stderr).toContain(`column colour: it must be one of `);
    expect(stderr).toContain(column);
  });
});

test.each([
  ['device list', 'device'],
  ['service clients', 'client'],
])('below tributary %s, only the rows that are shown are counted', async (line, word) => {
  const { run } = await createNetworkWorld();
  const show = async (...options: readonly string[]) =>
    (await run([...line.split(' '), ...options])).stdout;
  const count = (text: string) => Number(new RegExp(`^(\\d+) ${word}s?, `, 'm').exec(text)?.[1]);
  const all = count(await show());
  const names = (await show('--columns', 'name', '--csv')).trimEnd().split('\r\n').slice(1);
  expect(all).toBe(names.length);
  expect(all).toBeGreaterThan(1);
  expect(count(await show('--filter', `name=${names[0]}`))).toBe(1);
  expect(count(await show('--limit', '2'))).toBe(2);
});

test.each([
  ['device list --filter attic --filter shed', '--filter was given twice'],
  ['service clients --columns name --columns mode', '--columns was given twice'],
  ['service providers --ids --limit 1', '--ids prints ids alone'],
])('%s is refused', async (line, message) => {
  const { run } = await createNetworkWorld();
  const { exitCode, stderr } = await run(line.split(' '));
  expect({ exitCode, stderr }).toEqual({ exitCode: 64, stderr: expect.stringContaining(message) });
});

test.each([
  ['device list --sort name --columns name,mode,seen', 'sorted.txt'],
  ['device list --csv', 'csv.txt'],
])('%s', async (line, name) => {
  const { run, devices } = await createHousehold();
  const { stdout } = await run(line.split(' '), { columns: 80 });
  const ids = Object.values(devices);
  const masked = ids.reduce(
    (text, id, index) => text.replaceAll(id, `device-${index + 1}`),
    stdout,
  );
  await expectGolden(`lists-${name}`, masked);
});

test('one Ctrl-C ends a watched list whose service never answers', async () => {
  const asked = Promise.withResolvers<void>();
  await using silent = await startNastyService(() => asked.resolve());
  const { paths } = await createOwner(silent.baseUrl, 'documented', 'a.token.here', {
    nowMs: goldenNow,
  });
  const terminal = openTerminal(...paths, 'device', 'list', '--watch', '2');
  await asked.promise;
  terminal.type(keys.ctrlC);
  expect(await terminal.end()).toMatchObject({ exitCode: 0 });
  expect(silent.seen).toHaveLength(1);
});
