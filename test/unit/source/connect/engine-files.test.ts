import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { createEngineFiles } from '../../../../src/source/connect/engine-files.ts';
import { createStateFile } from '../../../../src/system/state-file.ts';
import { books, toKeep } from './fake-engines.ts';

const client = '01920000-0000-7000-8000-0000000000aa';
const { largestId } = toKeep(1);
let directory: string;
let aside: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-engine-'));
  aside = [];
});
afterEach(() => rm(directory, { recursive: true }));

const open = () => createEngineFiles({ directory, onSetAside: (path) => aside.push(path) });
const reveal = ({ secrets }: Awaited<ReturnType<ReturnType<typeof open>['load']>>) =>
  Object.values(secrets).map((secret) => secret.reveal());

test('secrets are made once, differ by mode, are private, and print as no secret', async () => {
  const made = await open().load(client);
  expect(new Set(reveal(made)).size).toBe(4);
  expect(reveal(await open().load(client))).toEqual(reveal(made));
  expect((await stat(join(directory, 'connect-secrets.json'))).mode & 0o777).toBe(0o600);
  for (const text of reveal(made)) expect(JSON.stringify(made)).not.toContain(text);
});

test('an identity is made once, stays, is private, and prints as none', async () => {
  const { identity: made } = await open().load(client);
  const { identity: again } = await open().load('another');
  const toText = ({ seed, certificate, certificateKey }: typeof made) =>
    [seed.reveal(), certificate, certificateKey.reveal()].join();
  expect(toText(again)).toBe(toText(made));
  expect(new X509Certificate(made.certificate).checkHost('urnetwork-sequence')).toBeDefined();
  expect(JSON.stringify(made)).not.toContain(made.seed.reveal());
  expect(JSON.stringify(made)).not.toContain('PRIVATE');
});

test('a file of an earlier version gets an identity, and keeps its secrets', async () => {
  const earlier = z.object({ secrets: z.record(z.string(), z.string()) });
  const texts = ['11', '22', '33', '44'].map((pair) => pair.repeat(32));
  await createStateFile({
    directory,
    onSetAside: () => expect.unreachable(),
    name: 'connect-secrets',
    schema: earlier,
  }).write({ secrets: Object.fromEntries(texts.map((text, at) => [at + 1, text])) });
  const loaded = await open().load(client);
  expect(reveal(loaded)).toEqual(texts);
  const { seed } = (await open().load(client)).identity;
  expect(seed.equals(loaded.identity.seed)).toBe(true);
  expect(aside).toEqual([]);
});

test('what was kept is there for the next engine, whole', async () => {
  await open().keep(client, toKeep(1));
  expect(await open().load(client)).toMatchObject({ books, largestId, published: 'public' });
});

test("how far a consumer's sequence was delivered is kept", async () => {
  const { books: kept } = toKeep(1);
  const [one] = kept.consumers ?? [];
  if (one === undefined) throw new Error('there is no consumer in it');
  const consumers = [{ ...one, next: 12 }];
  await open().keep(client, { ...toKeep(1), books: { ...kept, consumers } });
  expect((await open().load(client)).books?.consumers).toEqual(consumers);
});

test('another client begins with empty books, and with ids that grow all the same', async () => {
  await open().keep('another', toKeep(1));
  expect(await open().load(client)).toMatchObject({ books: null, largestId, published: null });
});

test('broken books are set aside, and secrets stay', async () => {
  const before = reveal(await open().load(client));
  await open().keep(client, toKeep(1));
  const path = join(directory, 'connect-books.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('4096', '4097'));
  const loaded = await open().load(client);
  expect(loaded).toMatchObject({ books: null, largestId: null });
  expect(reveal(loaded)).toEqual(before);
  expect(aside).toEqual([path]);
  expect(await readdir(directory)).toHaveLength(2);
});
