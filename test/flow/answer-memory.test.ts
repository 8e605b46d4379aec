import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program as bundled } from '../../rolldown.config.ts';
import { measurePeakMemory } from '../../tools/bench/peak-memory.ts';

const mostKibibytes = 40 * 1024;
const size = 20 * 1024 ** 2;
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length));
const depth = '['.repeat(1_000_000);
const listKeys = (count: number) =>
  Array.from({ length: count }, (_, index) => `"k${index}":1`).join();

/**
 * The field of each answer that something large is put in; of any other, one that no answer has.
 */
const fields: Readonly<Record<string, string>> = {
  '/network/auth-client': 'proxy_config_result',
  '/network/clients': 'clients',
  '/network/find-locations': 'locations',
  '/network/provider-locations': 'locations',
  '/network/reliability': 'reliability_window',
  '/stats/providers': 'providers',
  '/stats/provider-last-n': 'uptime',
  '/stats/leaderboard': 'earners',
  '/device/associations': 'incoming_shared_devices',
  '/account/wallets': 'wallets',
};

/** Values that are short on the wire and large in memory, or large in both. */
const values: Readonly<Record<string, () => string>> = {
  'a list of empty objects': () => `[${fill('{},')}{}]`,
  'a list of nothing': () => `[${fill('null,')}null]`,
  'lists in lists': () => `${depth}${depth.replaceAll('[', ']')}`,
  'lists that never end': () => depth,
  'a text of 20 MiB': () => `"${'x'.repeat(size)}"`,
  'a text of wide letters': () => `"${'é'.repeat(size / 2)}"`,
  'a million keys': () => `{${listKeys(1_000_000)}}`,
  'a million keys in one item': () => `[{${listKeys(1_000_000)}}]`,
  'a list in each item': () => `[${fill(`{"connections":[${'{},'.repeat(5000)}{}]},`)}{}]`,
  'rows with long texts': () =>
    `[${fill(`{"client_id":"c","description":"${'é'.repeat(5000)}"},`)}{}]`,
  'as many items as are kept': () => `[${'{},'.repeat(52_000)}{}]`,
  'as many keys as are taken': () => `{${listKeys(49_000)}}`,
  'as many values in an item as are taken': () =>
    `[${`{"connections":[${'{},'.repeat(3_900)}{}]},`.repeat(100)}{}]`,
  'as long texts as are kept': () =>
    `[${`{"description":"${'é'.repeat(500_000)}"},`.repeat(16)}{}]`,
  'as long a text as is taken': () => `"é${'x'.repeat(1.5 * 1024 ** 2 - 100)}"`,
};

/** Whole answers, as they go over the wire. */
const answers: Readonly<Record<string, () => readonly Buffer[]>> = {
  'unknown fields': () => wrap(Buffer.from(`{${fill('"x":[{}],')}"x":0}`)),
  'the same list again and again': () =>
    wrap(Buffer.from(`{${fill('"clients":[{}],')}"clients":[]}`)),
  'a message of 20 MiB': () => wrap(Buffer.from(`{"error":{"message":"${'x'.repeat(size)}"}}`)),
  'pieces of one byte': () => [
    begin('Transfer-Encoding: chunked\r\n'),
    Buffer.from(fill('1\r\n \r\n')),
  ],
  'what was compressed to a thousandth': () =>
    wrap(gzipSync(Buffer.alloc(16 * size, ' ')), 'Content-Encoding: gzip\r\n'),
  'a header of 20 MiB': () => [Buffer.from(`HTTP/1.1 200 OK\r\n${fill('X-Long: x\r\n')}\r\n`)],
  'hints without end before it': () => [
    Buffer.from(fill('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n')),
  ],
};

const begin = (more: string) =>
  Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${more}\r\n`);
const wrap = (text: Buffer, more = '') => [
  begin(`Content-Length: ${text.length}\r\n${more}`),
  text,
];

interface Bomber extends AsyncDisposable {
  readonly baseUrl: string;
}

/** A service that answers each path with these pieces of HTTP. */
async function startBomber(toAnswer: (path: string) => readonly Buffer[]): Promise<Bomber> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const path = request.toString('latin1').split(' ', 2)[1] ?? '';
      for (const piece of toAnswer(path)) socket.write(piece);
      socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
}

function startValueBomber(value: string): Promise<Bomber> {
  const bytes = Buffer.from(value);
  return startBomber((path) => {
    const before = Buffer.from(`{"${fields[path] ?? 'other'}":`);
    return [
      begin(`Content-Length: ${before.length + bytes.length + 1}\r\n`),
      before,
      bytes,
      Buffer.from('}'),
    ];
  });
}

const program = 'src/tributary.ts';
const directory = mkdtempSync(join(tmpdir(), 'tributary-memory-'));

/** Built as the product is: what Node needs to read TypeScript is more than is measured here. */
async function buildPrograms(): Promise<void> {
  const input = { asker: join(import.meta.dirname, 'ask-everything.ts'), tributary: program };
  await build({
    ...bundled,
    input,
    logLevel: 'silent',
    output: { ...bundled.output, dir: directory },
  });
}

const nothing = () => wrap(Buffer.from('{}'));

beforeAll(buildPrograms, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

/** What takes its time is asked for in fewer ways. */
const slow: Readonly<Record<string, readonly string[]>> = {
  'a list of empty objects': ['ownClient', 'deviceAssociations'],
  'as many items as are kept': ['clients'],
  'as many values in an item as are taken': ['ownClient'],
  'unknown fields': ['ownClient', 'authClient'],
  'the same list again and again': ['ownClient', 'authClient'],
  'pieces of one byte': ['authClient'],
  'what was compressed to a thousandth': ['clients', 'authClient'],
  'a header of 20 MiB': ['clients', 'setProvide'],
  'hints without end before it': ['clients', 'setProvide'],
};

// Tried three times: a busy machine collects garbage late, and the least of the peaks is the
// program's own.
describe('an agent takes at most 40 MiB more than for empty answers where the service answers with', () => {
  // As `run` sets them: garbage that is not collected yet counts too.
  const flags = (readFileSync(program, 'utf8').match(/(?<=')--[a-z-]+(=1)?(?=')/g) ?? []).filter(
    // Its own words, not V8's.
    (flag) => !['--compile', '--version'].includes(flag),
  );
  const measure = async (starting: Promise<Bomber>, names: readonly string[] = []) => {
    await using bomber = await starting;
    return await measurePeakMemory([
      ...flags,
      join(directory, 'asker.cjs'),
      bomber.baseUrl,
      ...names,
    ]);
  };
  let atRest = 0;
  beforeAll(async () => {
    atRest = await measure(startBomber(nothing));
  });

  it.each(Object.entries(values))('%s', { retry: 2 }, async (name, make) => {
    expect((await measure(startValueBomber(make()), slow[name])) - atRest).toBeLessThan(
      mostKibibytes,
    );
  });

  it.each(Object.entries(answers))('%s', { retry: 2 }, async (name, make) => {
    const pieces = make();
    expect(
      (await measure(
        startBomber(() => pieces),
        slow[name],
      )) - atRest,
    ).toBeLessThan(mostKibibytes);
  });
});

describe.each([
  ['device', 'list'],
  ['device', 'associations'],
  ['device', 'provide', 'shed', 'none'],
  ['stats'],
  ['service', 'clients', '--json'],
  ['service', 'locations'],
  ['service', 'leaderboard'],
  ['account', 'wallets'],
])('%s %s takes at most 40 MiB more where the service answers with', (...words) => {
  const measure = async (starting: Promise<Bomber>) => {
    await using bomber = await starting;
    const environment = {
      TRIBUTARY_SERVICE_BASE_URL: bomber.baseUrl,
      TRIBUTARY_NETWORK_JWT: 'a.token.here',
    };
    const line = [join(directory, 'tributary.cjs'), ...words, '--state-dir', directory];
    return await measurePeakMemory(['--import', endsWell, ...line], environment);
  };
  // A command that refuses an answer ends with an error, which is as it should be here.
  const endsWell = `data:text/javascript,${encodeURIComponent("process.on('exit', () => { process.exitCode = 0; });")}`;
  const few = [
    'a list of empty objects',
    'rows with long texts',
    'as many items as are kept',
    'as many keys as are taken',
  ];
  let atRest = 0;
  beforeAll(async () => {
    atRest = await measure(startBomber(nothing));
  });

  it.each(few)('%s', { retry: 2 }, async (name) => {
    expect((await measure(startValueBomber(values[name]?.() ?? ''))) - atRest).toBeLessThan(
      mostKibibytes,
    );
  });
});
