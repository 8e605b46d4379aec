import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  inTransaction,
  keepSetting,
  lockDirectory,
  openDatabase,
  setSetting,
} from '../../src/reference-service/database.ts';
import { hasCode } from '../../src/reference-service/errors.ts';
import { makeDirectory } from '../make-directory.ts';

const file = 'reference-service.sqlite';

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return hasCode(error, 'already-running', 'state-unreadable', 'state-unwritable')
      ? error.code
      : String(error);
  }
}

test('the files hold private keys and are readable by their owner only', () => {
  const directory = makeDirectory();
  using database = openDatabase(directory);
  setSetting(database, 'key', 'value');
  for (const name of [file, `${file}-wal`])
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
});

test('a setting is made once and then kept, over a restart too', () => {
  const directory = makeDirectory();
  const first = openDatabase(directory);
  expect(keepSetting(first, 'key', () => 'one')).toBe('one');
  first.close();
  using second = openDatabase(directory);
  expect(keepSetting(second, 'key', () => 'two')).toBe('one');
});

test('what fails in a transaction leaves nothing', () => {
  using database = openDatabase(makeDirectory());
  const fail = () => {
    setSetting(database, 'key', 'half');
    throw new Error('broken');
  };
  expect(() => inTransaction(database, fail)).toThrow('broken');
  expect(keepSetting(database, 'key', () => 'whole')).toBe('whole');
});

test('a transaction inside another lasts only with it', () => {
  using database = openDatabase(makeDirectory());
  const fail = () => {
    inTransaction(database, () => setSetting(database, 'key', 'inner'));
    throw new Error('broken');
  };
  expect(() => inTransaction(database, fail)).toThrow('broken');
  expect(keepSetting(database, 'key', () => 'whole')).toBe('whole');
});

test('a second service on the same directory is refused while the first has it', async () => {
  const directory = makeDirectory();
  const first = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toMatchObject({
    code: 'already-running',
    message: expect.stringContaining(`another service (process ${process.pid})`),
  });
  await first[Symbol.asyncDispose]();
  await using _next = await lockDirectory(directory);
});

test('a command beside the service sees what it wrote, and the service what the command wrote', () => {
  const directory = makeDirectory();
  using service = openDatabase(directory);
  setSetting(service, 'one', 'of the service');
  using command = openDatabase(directory);
  expect(keepSetting(command, 'one', () => 'of the command')).toBe('of the service');
  setSetting(command, 'two', 'of the command');
  expect(keepSetting(service, 'two', () => 'of the service')).toBe('of the command');
});

test('of two that make a setting at the same moment, the first is right for both', () => {
  const directory = makeDirectory();
  using one = openDatabase(directory);
  using other = openDatabase(directory);
  const kept = keepSetting(one, 'key', () => keepSetting(other, 'key', () => 'first'));
  expect([kept, keepSetting(other, 'key', () => 'third')]).toEqual(['first', 'first']);
});

test.each([
  [999, 'a newer version', 'Install the newer version again'],
  [3, 'an older version', 'move it away'],
])('a database of version %i is left alone, and said to be of %s', (version, said, action) => {
  const directory = makeDirectory();
  const other = new DatabaseSync(join(directory, file));
  other.exec(`pragma user_version = ${version}`);
  other.close();
  expect(() => openDatabase(directory)).toThrow(
    expect.objectContaining({
      code: 'usage-invalid',
      message: expect.stringContaining(said),
      action: expect.stringContaining(action),
    }),
  );
});

test('a disk that is full at the start is called so', () => {
  using database = openDatabase(makeDirectory());
  // What a full disk is to SQLite: a file that may not grow.
  const pages = Number(database.prepare('pragma page_count').get()?.page_count);
  database.exec(`pragma max_page_count = ${pages}`);
  const fill = () => {
    for (let row = 0; row < 10_000; row++) setSetting(database, `${row}`, 'x'.repeat(1_000));
  };
  expect(() => inTransaction(database, fill)).toThrow(/disk is full/);
  expect(database.isTransaction).toBe(false);
});

test('a database that was emptied is said to be new, one that is new is not', () => {
  const said: string[] = [];
  const directory = makeDirectory();
  const open = () => openDatabase(directory, (message) => said.push(message)).close();
  open();
  open();
  expect(said).toEqual([]);
  writeFileSync(join(directory, file), '');
  open();
  expect(said).toEqual([expect.stringContaining('may have kept is lost')]);
});

test('a file that is no database is refused and stays as it is', () => {
  const directory = makeDirectory();
  writeFileSync(
    join(directory, file),
    'not a database at all, but a text that is long enough to be looked at',
  );
  expect(codeOf(() => openDatabase(directory))).toBe('state-unreadable');
});

test('a directory that cannot be written in is said so', () => {
  expect(codeOf(() => openDatabase('/proc/none'))).toBe('state-unwritable');
});
