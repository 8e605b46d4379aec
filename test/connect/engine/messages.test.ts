import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineReader } from '../../../src/connect/engine/line-reader.ts';
import {
  type EngineCounters,
  type FromEngine,
  type KeepMessage,
  longestLine,
  longestLineWithBooks,
  type ProblemCode,
  type StartMessage,
  type StateMessage,
  type ToEngine,
} from '../../../src/connect/engine/messages.ts';
import {
  readFromEngine,
  readToEngine,
  writeMessage,
} from '../../../src/connect/engine/read-messages.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';

const uuid = '0198f6a1-0000-4000-8000-0123456789ab';
const secret = 'ab'.repeat(32);
const account = {
  contract: uuid,
  peer: uuid,
  byteCount: 1048576,
  createdAt: 1700000000000.5,
  counted: 20,
  reported: 10,
};
const consumer = {
  peer: uuid,
  sequence: uuid,
  lane: '018',
  mode: 3,
  heardAt: 1700000000000,
  addresses: ['0a000001:64700002', `${'fd'.repeat(16)}:${'fe'.repeat(16)}`],
};
const start: StartMessage = {
  type: 'start',
  ownId: uuid,
  token: 'eyJ.a.token',
  urls: ['wss://connect.example'],
  controlUrl: 'https://api.example/connect/control',
  authority: null,
  instanceId: uuid,
  appVersion: '1.2.3',
  secrets: { 1: secret, 2: secret, 3: secret, 4: secret },
  identity: null,
  isSealingRequired: false,
  published: null,
  wish: 'public',
  pool: { ipv4: { first: '100.112.0.2', count: 65000 }, ipv6: { first: 'fd00::2', count: 65000 } },
  device: 'connect0',
  mostUnpaidBytes: 268_435_456,
  books: { received: [account], own: [] },
  largestId: null,
};
const toEngine: readonly ToEngine[] = [
  start,
  { ...start, books: null, published: 'a set', largestId: uuid },
  { ...start, identity: makeIdentity(randomBytes) },
  { type: 'token', token: 'another' },
  { type: 'wish', wish: 'none' },
  { type: 'network' },
  { type: 'kept', number: 1 },
  { type: 'stop', final: true },
];
const counters: EngineCounters = {
  consumers: 1,
  upBytes: 2,
  downBytes: 3,
  overheadBytes: 12,
  admittedContracts: 4,
  refusedContracts: { 'bad-signature': 5 },
  unpaidBytes: 6,
  doubtfulBytes: 7,
  reportsWaiting: 8,
  reportsRefused: 13,
  renewals: { byPause: 11 },
  dropped: { tooMany: 9 },
  failedWrites: 10,
};
const problem: ProblemCode = 'token-refused';
const state: StateMessage = {
  type: 'state',
  isConnected: true,
  connectedSince: 1700000000000,
  url: 'wss://connect.example',
  clockRate: 15,
  isPublished: true,
  problem: null,
  counters,
};
const keep: KeepMessage = {
  type: 'keep',
  number: 1,
  books: {
    received: [],
    own: [account],
    consumers: [consumer],
    finished: { contracts: [uuid], forgottenUpTo: null },
  },
  largestId: uuid,
  published: null,
};
const fromEngine: readonly FromEngine[] = [
  { type: 'opened' },
  keep,
  state,
  { ...state, isConnected: false, connectedSince: null, url: null, clockRate: null, problem },
  { type: 'seen', sighting: { kind: 'noted', isFirst: true, aheadMs: 0 }, isPublished: true },
  { type: 'seen', sighting: { kind: 'changed' }, isPublished: false },
  { type: 'seen', sighting: { kind: 'latency-test' }, isPublished: true },
  {
    type: 'seen',
    sighting: { kind: 'speed-test', bytesPerSecond: 4_000_000, isWhole: true },
    isPublished: true,
  },
  { type: 'problem', code: 'tls-refused', message: 'the certificate has expired' },
  { type: 'ended', reportsLeft: 0 },
];

/** A copy with one field changed, by its path. */
function change(message: object, path: string, value: unknown): string {
  const copy = structuredClone(message) as Record<string, unknown>;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at = copy;
  for (const key of keys) at = at[key] as Record<string, unknown>;
  at[last] = value;
  return JSON.stringify(copy);
}

describe('messages', () => {
  test.each(toEngine)('$type is read as it was written', (message) => {
    const line = writeMessage(message);
    expect(line.endsWith('}\n')).toBe(true);
    expect(readToEngine(line.slice(0, -1))).toEqual(message);
    expect(() => readFromEngine(line)).toThrow('not sound: type');
  });

  test.each(fromEngine)('$type is read as it was written', (message) => {
    expect(readFromEngine(writeMessage(message).slice(0, -1))).toEqual(message);
    expect(() => readToEngine(JSON.stringify(message))).toThrow('not sound: type');
  });

  test.each([
    ['ownId', 'x'],
    ['token', ''],
    ['token', 'a\r\nHost: b'],
    ['token', 'a'.repeat(20_000)],
    ['urls', []],
    ['urls.0', 'https://connect.example'],
    ['urls.0', 'wss://'],
    ['controlUrl', 'file:///etc/passwd'],
    ['instanceId', 1],
    ['appVersion', '1\n2'],
    ['secrets.3', 'ab'],
    ['secrets', {}],
    ['identity', { ...makeIdentity(randomBytes), seed: 'ab' }],
    ['identity', { ...makeIdentity(randomBytes), certificate: '/etc/passwd' }],
    ['identity', { ...makeIdentity(randomBytes), certificateKey: 'x'.repeat(9000) }],
    ['published', 'x'.repeat(201)],
    ['wish', 'everybody'],
    ['pool.ipv4', { first: 'fd00::2', count: 1 }],
    ['pool.ipv4', { first: '255.255.255.255', count: 2 }],
    ['pool.ipv6', { first: '100.112.0.2', count: 1 }],
    ['pool.ipv6', { first: 'fe80::2%eth0', count: 1 }],
    ['pool.ipv6', { first: 'fd00::2', count: 0 }],
    ['pool.ipv6', { first: 'fd00::2', count: 2 ** 24 }],
    ['device', 'x; reboot'],
    ['books.received', [{ ...account, counted: -1 }]],
    ['books.received', [{ ...account, contract: '../..' }]],
    ['books.consumers', [{ ...consumer, lane: '019' }]],
    ['books.consumers', [{ ...consumer, mode: 5 }]],
    ['books.consumers', [{ ...consumer, addresses: [] }]],
    ['books.consumers', [{ ...consumer, addresses: ['0a000001'] }]],
    ['books.consumers', [{ ...consumer, addresses: Array(5).fill('0a000001:64700002') }]],
    ['books.consumers', [consumer, consumer]],
    ['books.consumers', [consumer, { ...consumer, peer: uuid.replace('0', '1') }]],
    ['books.consumers', Array(4097).fill(consumer)],
    ['books.finished', { contracts: [], forgottenUpTo: '../..' }],
    ['books.finished', { contracts: Array(4097).fill(uuid), forgottenUpTo: null }],
    ['largestId', 'x'],
  ])('a start whose %s is %j is refused, and the field is named', (path, value) => {
    expect(() => readToEngine(change(start, path, value))).toThrow(
      `not sound: ${path.replace(/\.\d$/, '')}`,
    );
  });

  test.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"type":"stop"}',
    '{"type":"kept","number":1e999}',
    '{"type":"ended","reportsLeft":0.5}',
    '{"type":"problem","code":"else","message":""}',
    change(state, 'counters.dropped', { '<script>': 1 }),
    change(state, 'counters.upBytes', -1),
    change(state, 'connectedSince', 8.64e15 + 1),
    change(state, 'clockRate', 1001),
    change(state, 'clockRate', 0),
  ])("%j is neither side's message", (line) => {
    expect(() => readToEngine(line)).toThrow(/^(no JSON|not sound: .*)$/);
    expect(() => readFromEngine(line)).toThrow(/^(no JSON|not sound: .*)$/);
  });

  test('what is refused is not repeated: it may be a token', () => {
    for (const line of ['{"type":"token","token":"sec ret"}', '{"token":"secret', '"secret"'])
      expect(() => readToEngine(line)).toThrow(/^(?!.*sec)/);
  });

  test('only books may be longer than a short line', () => {
    const long = JSON.stringify({ type: 'wish', wish: 'none', more: 'x'.repeat(longestLine) });
    expect(() => readToEngine(long)).toThrow('a message of type wish is too long');
    const received = Array.from({ length: 1000 }, () => account);
    const books = { received, own: [] };
    expect(readToEngine(JSON.stringify({ ...start, books }))).toMatchObject({ books });
  });

  test('the books of a full house fit into a line', () => {
    const most = {
      ...account,
      byteCount: 2 ** 31,
      counted: 2 ** 31,
      reported: 2 ** 31,
      bridged: 2 ** 31,
    };
    const books = Array.from({ length: 16_384 + 3 * 4096 }, () => most);
    const addresses = Array(4).fill(consumer.addresses[1]);
    const consumers = Array.from({ length: 4096 }, () => ({ ...consumer, addresses }));
    const finished = Array(4096).fill(uuid);
    const all = JSON.stringify([books, consumers, finished]);
    expect(all.length).toBeLessThan(longestLineWithBooks);
  });
});

describe('lines', () => {
  const readLines = (pieces: readonly Buffer[], longest: number) => {
    const lines: string[] = [];
    const reader = createLineReader({
      longest,
      onLine: (line) => lines.push(line),
      onTooLong: () => lines.push('too long'),
    });
    for (const piece of pieces) reader.write(piece);
    return lines;
  };

  test('come out whole in whatever pieces they come, and a longer one is left out', () => {
    const line = fc
      .string({ maxLength: 40, unit: 'grapheme' })
      .map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.nat(9)),
        fc.integer({ min: 0, max: 60 }),
        (lines, cuts, longest) => {
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
          const pieces: Buffer[] = [];
          let rest = bytes;
          for (const cut of cuts) {
            pieces.push(rest.subarray(0, cut));
            rest = rest.subarray(cut);
          }
          pieces.push(rest);
          const expected = lines.map((text) =>
            Buffer.byteLength(text) > longest ? 'too long' : text,
          );
          expect(readLines(pieces, longest)).toEqual(expected);
        },
      ),
    );
  });

  test('a line without end is told of once, and the next one is read', () => {
    const endless = Array.from({ length: 100 }, () => Buffer.alloc(1000, 'x'));
    expect(readLines([...endless, Buffer.from('\nnext\n')], 5000)).toEqual(['too long', 'next']);
  });
});
