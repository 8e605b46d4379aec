import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { completeSecrets, saveSecrets } from '../../../src/connect/contract/secrets.ts';
import { longestLineWithBooks, type StartMessage } from '../../../src/connect/engine/messages.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { makeClockRateMessage } from '../../../src/connect/socket/clock-rate.ts';
import { toUuid } from '../../../src/connect/wire/id.ts';
import { waitUntil } from '../../patience.ts';
import { startEngine, startEngineWorld } from '../support/engine-world.ts';
import { connectConsumer } from '../support/socket-consumer.ts';

type World = Awaited<ReturnType<typeof startEngineWorld>>;

/** A consumer whose packets went through and came back, and an engine in mid-flow. */
async function startFlow(world: World, over: Partial<StartMessage> = {}) {
  const { platform, ids, ownId } = world;
  const engine = startEngine({ ...world.start, ...over });
  await engine.waitFor('state', { isConnected: true, isPublished: true, problem: null });
  const connected = await connectConsumer({ platform, ids, providerId: ownId });
  await connected.exchange(300);
  await connected.settle();
  return { engine, ...connected };
}

describe('the engine', () => {
  test('carries a consumer, has the books kept before reports, and ends when it is told to', async () => {
    const world = await startEngineWorld();
    const { platform, ownId } = world;
    const { engine, consumer, close } = await startFlow(world);
    expect(engine.messages[0]).toEqual({ type: 'opened' });
    await waitUntil(() => expect(engine.state()?.counters.consumers).toBe(1));
    expect(engine.state()).toMatchObject({ url: platform.url, connectedSince: expect.any(Number) });
    engine.tell({ type: 'stop', final: false });
    await engine.ended;
    close();
    expect(engine.messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
    expect(consumer.got.size).toBeGreaterThan(0);
    for (const [contractId, bytes] of consumer.got)
      expect(platform.reported.get(contractId)).toBe(bytes);
    expect(engine.kept()?.largestId).toMatch(/^[0-9a-f-]{36}$/);
    // A restart: what was published stays.
    expect(platform.publications.get(ownId)).toBe(1);
  });

  test('tells its key before it opens a socket, once for all of them', async () => {
    const world = await startEngineWorld({ identity: makeIdentity(randomBytes) });
    world.platform.keyAnswerMs = 200;
    const engine = startEngine(world.start);
    await engine.waitFor('state', { isConnected: true });
    for (const socket of world.platform.socketsOf(world.ownId)) socket.close();
    await waitUntil(() => expect(world.platform.events).toHaveLength(4));
    expect(world.platform.events).toEqual(['key', 'key-answered', 'socket', 'socket']);
    engine.tell({ type: 'stop', final: false });
    await engine.ended;
  });

  test('counts minutes by the clock of a sandbox that hastens it meanwhile', async () => {
    const world = await startEngineWorld();
    const engine = startEngine(world.start);
    await engine.waitFor('state', { isConnected: true, clockRate: 1 });
    world.platform.socketsOf(world.ownId)[0]?.send(makeClockRateMessage(100));
    await engine.waitFor('state', { clockRate: 100 });
    await engine.waitFor('seen', {
      sighting: { kind: 'noted', isFirst: true, aheadMs: expect.any(Number) },
    });
    await engine.waitFor('seen', {
      sighting: { kind: 'noted', isFirst: false, aheadMs: expect.any(Number) },
    });
    engine.tell({ type: 'stop', final: false });
    await engine.ended;
  });

  test('sends no report before the books are kept', async () => {
    const world = await startEngineWorld();
    const { engine, close } = await startFlow(world);
    engine.setKeeping(false);
    const before = engine.messages.filter(({ type }) => type === 'keep').length;
    engine.tell({ type: 'stop', final: false });
    await waitUntil(() =>
      expect(engine.messages.filter(({ type }) => type === 'keep').length).toBe(before + 1),
    );
    expect(world.platform.reported.size).toBe(0);
    engine.setKeeping(true);
    await engine.ended;
    close();
    expect(world.platform.reported.size).toBeGreaterThan(0);
  });

  test('gives reports that could not be sent to the next process, which sends them once', async () => {
    const world = await startEngineWorld();
    const { platform } = world;
    const { engine, consumer, close } = await startFlow(world);
    platform.status = 500;
    engine.tell({ type: 'stop', final: false });
    await engine.ended;
    close();
    const ended = engine.messages.at(-1);
    expect(ended).toMatchObject({ type: 'ended' });
    const books = engine.kept()?.books ?? null;
    // Where nobody knows, a checkpoint is not sent again, but a close is.
    expect(books?.waiting?.length).toBeGreaterThan(0);
    platform.status = 200;
    const { published = null, largestId = null } = engine.kept() ?? {};
    const next = startEngine({ ...world.start, books, published, largestId });
    await waitUntil(() => expect(platform.reported.size).toBeGreaterThan(0));
    next.tell({ type: 'stop', final: false });
    await next.ended;
    for (const [contractId, bytes] of consumer.got)
      expect(platform.reported.get(contractId) ?? 0).toBeLessThanOrEqual(bytes);
    expect(next.messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
  });

  test('has the books kept soon after somebody came, and the next process knows who it was', async () => {
    const world = await startEngineWorld();
    const { engine, consumer, close } = await startFlow(world);
    await waitUntil(() => expect(engine.kept()?.books.consumers).toHaveLength(1));
    engine.abandon();
    await engine.ended;
    close();
    const { books = null, published = null, largestId = null } = engine.kept() ?? {};
    expect(books?.consumers).toMatchObject([{ peer: toUuid(consumer.id), lane: '000', mode: 3 }]);
    const next = startEngine({ ...world.start, books, published, largestId });
    await next.waitFor('state', { isConnected: true });
    next.tell({ type: 'stop', final: false });
    await next.ended;
    expect(next.kept()?.books.consumers).toEqual(books?.consumers);
  });

  test('ends at once, and sends nothing more, where its input ends', async () => {
    const world = await startEngineWorld();
    const { engine, close } = await startFlow(world);
    engine.abandon();
    await engine.ended;
    close();
    expect(world.platform.reported.size).toBe(0);
    expect(engine.messages.some(({ type }) => type === 'ended')).toBe(false);
  });

  test('ends as if it were told to stop, where it is terminated', async () => {
    const world = await startEngineWorld();
    const { engine, close } = await startFlow(world);
    engine.terminate();
    await engine.ended;
    close();
    expect(engine.messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
  });

  test('ends with a word where its device cannot be had, and where it is gone', async () => {
    const world = await startEngineWorld();
    const without = startEngine(world.start, () => {
      throw new Error('opening the device connect0: TUNSETIFF: Operation not permitted');
    });
    await without.ended;
    expect(without.messages).toEqual([
      expect.objectContaining({
        code: 'device-unavailable',
        message: expect.stringContaining('connect0: TUNSETIFF'),
      }),
      { type: 'ended', reportsLeft: 0 },
    ]);
    const { engine, close } = await startFlow(world);
    engine.endDevice();
    await engine.ended;
    close();
    expect(engine.state()?.problem).toBe('device-unavailable');
    expect(engine.messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
  });
});

describe('what is published', () => {
  test('is published before a socket is opened, and not again by the next process', async () => {
    const world = await startEngineWorld();
    const { platform, ownId } = world;
    platform.status = 500;
    const engine = startEngine(world.start);
    await engine.waitFor('state', { problem: 'platform-refused', isPublished: false });
    expect(platform.upgrades.size).toBe(0);
    platform.status = 200;
    await engine.waitFor('state', { isConnected: true, isPublished: true, problem: null });
    engine.tell({ type: 'stop', final: false });
    await engine.ended;
    const { published = null } = engine.kept() ?? {};
    expect(published).toMatch(/^1\+2\+3\+4:/);
    const next = startEngine({ ...world.start, published });
    await next.waitFor('state', { isConnected: true, isPublished: true });
    expect(platform.publications.get(ownId)).toBe(1);
    next.terminate();
    await next.ended;
    // Other secrets are another set, whatever is said to be published.
    const secrets = saveSecrets(completeSecrets(randomBytes));
    const other = startEngine({ ...world.start, published, secrets });
    await other.waitFor('state', { isConnected: true, isPublished: true });
    expect(platform.publications.get(ownId)).toBe(2);
  });

  test('follows the wish, and is taken back at a final stop', async () => {
    const world = await startEngineWorld({ wish: 'network' });
    const { platform, ownId } = world;
    const engine = startEngine(world.start);
    await engine.waitFor('state', { isConnected: true, isPublished: true });
    expect(platform.publishedModes(ownId)).toEqual([1, 4]);
    engine.tell({ type: 'wish', wish: 'public' });
    await waitUntil(() => expect(platform.publishedModes(ownId)).toEqual([1, 2, 3, 4]));
    engine.tell({ type: 'wish', wish: 'none' });
    await engine.waitFor('state', { isConnected: true, isPublished: false });
    // It is said at once, and done a request later.
    await waitUntil(() => expect(platform.publishedModes(ownId)).toEqual([]));
    engine.tell({ type: 'wish', wish: 'public' });
    await engine.waitFor('state', { isPublished: true });
    engine.tell({ type: 'stop', final: true });
    await engine.ended;
    expect(platform.publishedModes(ownId)).toEqual([]);
    expect(engine.kept()?.published).toMatch(/^:/);
  });
});

describe('what is in the way', () => {
  test('a token that is refused is named, nothing is tried with it, and another one is used', async () => {
    const world = await startEngineWorld();
    const { platform, ownId } = world;
    const engine = startEngine(world.start);
    await engine.waitFor('state', { isConnected: true });
    platform.status = 401;
    for (const socket of platform.socketsOf(ownId)) socket.terminate();
    await engine.waitFor('problem', { code: 'token-refused' });
    await engine.waitFor('state', { isConnected: false, problem: 'token-refused' });
    platform.status = 200;
    const before = platform.upgrades.get(ownId);
    engine.tell({ type: 'token', token: world.start.token });
    await engine.waitFor('state', { isConnected: false, problem: 'token-refused' });
    expect(platform.upgrades.get(ownId)).toBe(before);
    engine.tell({ type: 'token', token: world.start.token.toUpperCase() });
    await engine.waitFor('state', { isConnected: true, problem: null });
  });

  test('a way that has changed opens another socket, and the old one stays open until then', async () => {
    const world = await startEngineWorld();
    const { platform, ownId } = world;
    const engine = startEngine(world.start);
    await engine.waitFor('state', { isConnected: true });
    const [old] = platform.socketsOf(ownId);
    const before = platform.upgrades.get(ownId) ?? 0;
    engine.tell({ type: 'network' });
    await waitUntil(() => expect(old?.readyState).toBe(old?.CLOSED));
    expect(platform.upgrades.get(ownId)).toBe(before + 1);
    const states = engine.messages.flatMap((one) =>
      one.type === 'state' ? [one.isConnected] : [],
    );
    expect(states.slice(states.indexOf(true))).not.toContain(false);
  });

  test('a version that is refused is named, over HTTP and at the socket, and tried again', async () => {
    const world = await startEngineWorld();
    world.platform.status = 426;
    const engine = startEngine(world.start);
    await engine.waitFor('problem', { code: 'version-refused' });
    world.platform.status = 200;
    await engine.waitFor('state', { isConnected: true, problem: null });
    world.platform.status = 426;
    for (const socket of world.platform.socketsOf(world.ownId)) socket.terminate();
    await engine.waitFor('state', { isConnected: false, problem: 'version-refused' });
    world.platform.status = 200;
    await engine.waitFor('state', { isConnected: true, problem: null });
  });

  test('a platform that is not there is told, and so is one that speaks no TLS', async () => {
    const world = await startEngineWorld();
    const nowhere = startEngine({
      ...world.start,
      controlUrl: 'http://127.0.0.1:9/connect/control',
    });
    await nowhere.waitFor('problem', {
      code: 'platform-unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const plain = world.platform.controlUrl.replace('http:', 'https:');
    const untrusted = startEngine({ ...world.start, controlUrl: plain });
    await untrusted.waitFor('problem', {
      code: 'tls-refused',
      message: expect.stringContaining('no secure connection'),
    });
    for (const engine of [nowhere, untrusted]) {
      engine.tell({ type: 'stop', final: true });
      await engine.ended;
      expect(engine.messages.at(-1)).toEqual({ type: 'ended', reportsLeft: 0 });
    }
  });
});

describe('hostile lines', () => {
  test('are refused by name, change nothing, and the next sound line is heard', async () => {
    const world = await startEngineWorld();
    const engine = startEngine(undefined);
    const lines = [
      '',
      'no JSON',
      '{"type":"stop"}',
      '{"type":"token","token":"sec ret"}',
      '{"type":"token","token":"secret"}',
      JSON.stringify({ ...world.start, device: '../../etc' }),
      `{"type":"wish","wish":"none","x":"${'x'.repeat(70_000)}"}`,
      'x'.repeat(longestLineWithBooks + 1),
      '\u0000\u0000',
    ];
    engine.write(lines.map((line) => `${line}\n`).join(''));
    await waitUntil(() => expect(engine.messages.length).toBe(lines.length));
    for (const message of engine.messages)
      expect(message).toMatchObject({ type: 'problem', code: 'line-refused' });
    expect(JSON.stringify(engine.messages)).not.toMatch(/sec ?ret/);
    engine.tell(world.start);
    engine.tell(world.start);
    await engine.waitFor('problem', { message: 'a line of the agent: it starts a second time' });
    engine.tell({ type: 'kept', number: 1_000_000 });
    await engine.waitFor('state', { isConnected: true, isPublished: true });
    engine.tell({ type: 'stop', final: false });
    await engine.ended;
  });

  test('one without an end ends nothing but itself, and a stop before the start ends', async () => {
    const engine = startEngine(undefined);
    engine.write('x'.repeat(100_000));
    engine.write('\n');
    engine.tell({ type: 'stop', final: true });
    await engine.ended;
    expect(engine.messages).toEqual([expect.objectContaining({ code: 'line-refused' })]);
  });
});
