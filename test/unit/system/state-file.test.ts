import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { Secret, SecretAddress } from '../../../src/lib/secret.ts';
import { BrokenDocumentError, createStateFile } from '../../../src/system/state-file.ts';

const schema = z.object({ name: z.string(), count: z.number() });
const value = { name: 'the-hidden-words', count: 3 };

/** A document as it is written; the checksum is over the JSON of what it holds. */
function renderDocument(data: unknown): string {
  const sha256 = createHash('sha256').update(JSON.stringify(data)).digest('hex');
  return `${JSON.stringify({ version: 1, sha256, data }, null, 2)}\n`;
}

async function prepare(name = 'thing') {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-state-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const setAside: { path: string; keptAs: string; why: string }[] = [];
  const file = createStateFile({
    directory,
    name,
    schema,
    onSetAside: (path, keptAs, why) => setAside.push({ path, keptAs, why }),
  });
  return { directory, file, setAside };
}

async function listenAt(path: string): Promise<void> {
  const server = createServer().listen(path);
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
}

describe('a document', () => {
  test('is not there before it is written, and then comes back whole, for its owner only', async () => {
    const { directory, file } = await prepare();
    expect(await file.readOrSetAside()).toBeUndefined();
    await file.write(value);
    await file.write({ ...value, count: 4 });
    expect(await file.readOrSetAside()).toEqual({ ...value, count: 4 });
    expect(await readdir(directory)).toEqual(['thing.json']);
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect(await readFile(file.path, 'utf8')).toBe(renderDocument({ ...value, count: 4 }));
  });

  test('that others could read is private after the next write', async () => {
    const { file } = await prepare();
    await writeFile(file.path, renderDocument(value), { mode: 0o644 });
    await file.write(value);
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
  });

  test('torn at any byte is set aside with a reason, and kept unchanged', async () => {
    const { directory, file, setAside } = await prepare();
    const text = renderDocument(value);
    // Without its last line end it is still whole.
    for (let length = 0; length < text.trimEnd().length; length += 1) {
      await writeFile(file.path, text.slice(0, length));
      expect(await file.readOrSetAside()).toBeUndefined();
      const { keptAs = '', why } = setAside.at(-1) ?? {};
      expect(await readFile(keptAs, 'utf8')).toBe(text.slice(0, length));
      expect(why).not.toContain('hidden');
      await rm(keptAs);
    }
    expect(setAside).toHaveLength(text.trimEnd().length);
    expect(await readdir(directory)).toEqual([]);
  });

  const data = JSON.stringify(value);
  test.each<[string, string, RegExp]>([
    [
      'with another value in it',
      renderDocument(value).replace('"count": 3', '"count": 4'),
      /checksum/,
    ],
    [
      'with a field too many',
      renderDocument(value).replace('"count": 3', '"count": 3, "x": 1'),
      /checksum/,
    ],
    ['without a checksum', `{"version":1,"data":${data}}`, /checksum/],
    [
      'of an earlier version',
      renderDocument(value).replace('"version": 1', '"version": 0'),
      /version is 0/,
    ],
    ['without a version', `{"data":${data}}`, /version/],
    [
      'whose version is an object',
      `{"version":{"toString":1,"valueOf":1},"data":${data}}`,
      /version/,
    ],
    ['with a field of another kind', renderDocument({ ...value, count: '3' }), /field count/],
    ['without a field', renderDocument({ count: 3 }), /field name/],
    ['without anything', renderDocument(null), /is wrong/],
    ['that is empty', '', /not whole JSON/],
    ['of zeros, as a power cut leaves it', '\0'.repeat(200), /not whole JSON/],
    ['with words in front', `the-hidden-words${renderDocument(value)}`, /not whole JSON/],
    ['with words behind', `${renderDocument(value)}the-hidden-words`, /not whole JSON/],
    ['that is a list', '[]', /version/],
    ['that is null', 'null', /not a JSON object/],
    ['that is a number', '7', /not a JSON object/],
  ])('%s is set aside with that reason', async (_, text, why) => {
    const { file, setAside } = await prepare();
    await writeFile(file.path, text);
    expect(await file.readOrSetAside()).toBeUndefined();
    expect(setAside).toHaveLength(1);
    expect(setAside[0]).toMatchObject({ path: file.path, why: expect.stringMatching(why) });
    expect(setAside[0]?.why).not.toContain('hidden');
    expect(await readFile(setAside[0]?.keptAs ?? '', 'utf8')).toBe(text);
    await file.write(value);
    expect(await file.readOrSetAside()).toEqual(value);
  });

  test('keeps its secrets as they are, however deep they lie', async () => {
    const { directory } = await prepare();
    const secret = z.string().transform((text) => new Secret(text));
    const schema = z.object({ token: secret, known: z.array(z.object({ key: secret })) });
    const file = createStateFile({
      directory,
      name: 'secrets',
      schema,
      onSetAside: () => undefined,
    });
    await file.write({
      token: new Secret('one'),
      known: [{ key: new SecretAddress('https://two.example/three') }],
    });
    const read = await file.readOrSetAside();
    expect([read?.token.reveal(), read?.known[0]?.key.reveal()]).toEqual([
      'one',
      'https://two.example/three',
    ]);
  });
});

test('a document of a newer version is neither set aside nor replaced', async () => {
  const { directory, file, setAside } = await prepare();
  const text = renderDocument(value).replace('"version": 1', '"version": 2');
  await writeFile(file.path, text);
  const said = expect.stringContaining('made by a newer version of tributary');
  const unread = { code: 'state-unreadable', message: said, action: expect.any(String) };
  await expect(file.readOrSetAside()).rejects.toMatchObject(unread);
  await expect(file.peek()).rejects.toMatchObject(unread);
  await expect(file.write(value)).rejects.toMatchObject({
    code: 'state-unwritable',
    message: said,
  });
  expect(await readdir(directory)).toEqual(['thing.json']);
  expect(await readFile(file.path, 'utf8')).toBe(text);
  expect(setAside).toEqual([]);
  // Its owner may move it away, and then another one begins.
  await rm(file.path);
  await file.write(value);
  expect(await file.peek()).toEqual(value);
});

test('a document that is only peeked at stays as it is, also where it is broken', async () => {
  const { directory, file, setAside } = await prepare();
  expect(await file.peek()).toBeUndefined();
  await file.write(value);
  expect(await file.peek()).toEqual(value);
  await writeFile(file.path, '{"data": ');
  const error = await file.peek().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BrokenDocumentError);
  expect(error).toMatchObject({
    code: 'state-unreadable',
    message: `reading ${file.path}: it is not whole JSON`,
    why: 'it is not whole JSON',
  });
  expect(await readdir(directory)).toEqual(['thing.json']);
  expect(setAside).toEqual([]);
});

describe('that a document was set aside', () => {
  test('is known to every process as long as the kept file exists', async () => {
    const { directory, file, setAside } = await prepare();
    const other = createStateFile({
      directory,
      name: 'thing',
      schema,
      onSetAside: () => undefined,
    });
    expect(await file.wasSetAside()).toBe(false);
    await writeFile(file.path, 'torn');
    expect(await file.wasSetAside()).toBe(false);
    await file.readOrSetAside();
    await file.write(value);
    expect([await file.wasSetAside(), await other.wasSetAside()]).toEqual([true, true]);
    await rm(setAside[0]?.keptAs ?? '');
    expect(await other.wasSetAside()).toBe(false);
  });

  test.each([
    ['another document', 'other-thing.json.broken-2026-01-01T00-00-00-000Z'],
    ['a longer name', 'thing.json5.broken-2026-01-01T00-00-00-000Z'],
    ['another ending', 'thing.json.bak'],
  ])('does not follow from %s', async (_, name) => {
    const { directory, file } = await prepare();
    await writeFile(join(directory, name), 'torn');
    expect(await file.wasSetAside()).toBe(false);
  });

  test('is false where there is no directory yet, and an error where it cannot be listed', async () => {
    const where = (directory: string) =>
      createStateFile({ directory, name: 'thing', schema, onSetAside: () => undefined });
    const { directory, file } = await prepare();
    await file.write(value);
    expect(await where(join(directory, 'missing')).wasSetAside()).toBe(false);
    expect(await where(file.path).wasSetAside()).toBe(false);
    await expect(where(`${directory}/${'n'.repeat(300)}`).wasSetAside()).rejects.toMatchObject({
      code: 'state-unreadable',
    });
  });
});

describe('where it cannot be', () => {
  test('written, the reason is said and nothing is left', async () => {
    const { directory, file } = await prepare();
    await mkdir(file.path);
    await expect(file.write(value)).rejects.toMatchObject({ code: 'state-unwritable' });
    expect(await readdir(directory)).toEqual(['thing.json']);
    await rm(directory, { recursive: true });
    await expect(file.write(value)).rejects.toMatchObject({ code: 'state-unwritable' });
  });

  test('written because the place takes no files, the reason is said', async () => {
    const file = createStateFile({
      directory: '/proc/self',
      name: 'thing',
      schema,
      onSetAside: () => undefined,
    });
    await expect(file.write(value)).rejects.toMatchObject({ code: 'state-unwritable' });
  });

  // Opened like an ordinary file, a pipe would wait until another program writes to it.
  test.each<[string, (path: string) => unknown]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a link to a device', (path) => symlink('/dev/zero', path)],
    ['a link to nothing', (path) => symlink('/nonexistent', path)],
    ['a socket', (path) => listenAt(path)],
  ])('read because it is %s, that is said at once', async (_, make) => {
    const { file } = await prepare();
    await make(file.path);
    await expect(file.peek()).rejects.toMatchObject({ code: 'state-unreadable' });
    await expect(file.readOrSetAside()).rejects.toThrow(file.path);
  });

  test('read, the reason is said and it is not taken for absent', async () => {
    const { file } = await prepare();
    await mkdir(file.path);
    await expect(file.readOrSetAside()).rejects.toMatchObject({ code: 'state-unreadable' });
  });

  test('set aside, the reason is said and it stays where it is', async () => {
    // The name it would be kept as is longer than a file system allows.
    const { file, setAside } = await prepare('n'.repeat(230));
    await writeFile(file.path, 'torn');
    await expect(file.readOrSetAside()).rejects.toMatchObject({ code: 'state-unwritable' });
    expect([await readFile(file.path, 'utf8'), setAside]).toEqual(['torn', []]);
  });
});

test('a document that its own reader would refuse is not written, and the one before stays', async () => {
  const { file } = await prepare();
  await file.write(value);
  await expect(file.write({ ...value, count: Number.NaN })).rejects.toMatchObject({
    code: 'state-unwritable',
    message: expect.stringContaining('its field count is wrong'),
  });
  expect(await file.peek()).toEqual(value);
});
