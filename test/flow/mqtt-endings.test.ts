import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nameTopics } from '../../src/report/home-assistant.ts';
import { openMqttSession } from '../../src/report/mqtt-session.ts';
import { waitUntil } from '../patience.ts';
import { startAgent } from './mqtt-agent.ts';

const greeting = generate({ cmd: 'connack', returnCode: 0, sessionPresent: false });
const refusal = generate({ cmd: 'connack', returnCode: 5, sessionPresent: false });
const answer = generate({ cmd: 'puback', messageId: 1 });
const noise = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');

/** What a broker writes when a packet of this kind comes for the `times`th time. */
interface Point {
  readonly at: Packet['cmd'] | 'connection';
  readonly times?: number;
  readonly writes?: Buffer;
}

/** A broker that behaves well up to this point of a connection, or always. */
async function startBroker(
  behave: (socket: Socket) => Point | undefined,
  fail: (socket: Socket) => void,
) {
  const kinds: string[] = [];
  let connections = 0;
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    const point = behave(socket);
    const seen = new Map<string, number>();
    let hasFailed = false;
    const reach = (kind: string): boolean => {
      const times = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, times);
      if (hasFailed || point === undefined || point.at !== kind) return hasFailed;
      if (times < (point.times ?? 1)) return false;
      hasFailed = true;
      if (point.writes !== undefined) socket.write(point.writes);
      fail(socket);
      return true;
    };
    const reader = parser({ protocolVersion: 4 });
    reader.on('packet', (packet) => {
      kinds.push(packet.cmd);
      if (reach(packet.cmd)) return;
      if (packet.cmd === 'connect') socket.write(greeting);
      if (packet.cmd === 'pingreq') socket.write(generate({ cmd: 'pingresp' }));
      const { messageId = 0 } = packet as { messageId?: number };
      if (packet.cmd === 'publish') socket.write(generate({ cmd: 'puback', messageId }));
      if (packet.cmd === 'subscribe')
        socket.write(generate({ cmd: 'suback', messageId, granted: [1] }));
    });
    socket.on('data', (bytes) => {
      reader.parse(bytes);
    });
    reach('connection');
  };
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    kinds,
    connections: () => connections,
    openCount: () => sockets.size,
  };
}

const points: readonly (Point & { readonly when: string })[] = [
  { when: 'at once', at: 'connection' },
  { when: 'after noise instead of a greeting', at: 'connection', writes: noise },
  { when: 'after a greeting that nobody asked for', at: 'connection', writes: greeting },
  { when: 'instead of a greeting', at: 'connect' },
  { when: 'within the greeting', at: 'connect', writes: greeting.subarray(0, 3) },
  { when: 'after noise for a greeting', at: 'connect', writes: noise },
  { when: 'after an answer instead of a greeting', at: 'connect', writes: answer },
  { when: 'after a refusal', at: 'connect', writes: refusal },
  { when: 'within a refusal', at: 'connect', writes: refusal.subarray(0, 1) },
  { when: 'right after the greeting', at: 'connect', writes: greeting },
  { when: 'after two greetings', at: 'connect', writes: Buffer.concat([greeting, greeting]) },
  { when: 'after a greeting and noise', at: 'connect', writes: Buffer.concat([greeting, noise]) },
  { when: 'at the subscription', at: 'subscribe' },
  { when: 'within the answer to the subscription', at: 'subscribe', writes: Buffer.of(0x90, 3, 0) },
  { when: 'at the first message', at: 'publish' },
  { when: 'within the answer to it', at: 'publish', writes: answer.subarray(0, 3) },
  { when: 'after noise for an answer to it', at: 'publish', writes: noise },
  { when: 'in the middle of discovery', at: 'publish', times: 7 },
  { when: 'at a late message', at: 'publish', times: 20 },
];

const manners: Readonly<Record<string, (socket: Socket) => void>> = {
  'hangs up': (socket) => void socket.end(),
  resets: (socket) => void socket.resetAndDestroy(),
  'shuts its side and stays': (socket) => {
    socket.end();
    socket.resume();
  },
};

describe.each(Object.entries(manners))('a broker that %s', (_, fail) => {
  test.each(points)(
    '$when is a failed delivery with its reason; the agent goes on',
    async (point) => {
      let failures = 0;
      const broker = await startBroker(() => (failures++ < 3 ? point : undefined), fail);
      const agent = startAgent(broker.url);
      await agent.waitForLine(/"state":"delivered"/);
      const [first = '{}'] = agent.lines;
      expect(JSON.parse(first)).toMatchObject({
        state: expect.stringMatching(/^(failing|lost)/),
        reason: expect.stringMatching(/./),
      });
      expect(agent.lines).toHaveLength(
        new Set(agent.lines.map((line) => JSON.parse(line).state)).size,
      );
      expect(broker.openCount()).toBe(1);
      // It rejects if an error has ended a loop.
      await agent.end();
    },
  );
});

test('a broker that takes no message is asked ever more seldom, and named once with the message', async () => {
  const broker = await startBroker(
    () => ({ at: 'publish' }),
    (socket) => void socket.end(),
  );
  const agent = startAgent(broker.url);
  await waitUntil(() => expect(broker.connections()).toBeGreaterThan(5));
  expect(agent.lines).toHaveLength(1);
  expect(agent.lines[0]).toMatch(/did not take .*homeassistant\/.*allowed/);
});

describe('a broker that falls silent', () => {
  const openSession = (url: string) =>
    openMqttSession({
      broker: { url, username: undefined, password: undefined, certificateAuthority: undefined },
      clientId: 'a-device',
      topics: nameTopics('tributary', 'a-device'),
      onCommand: undefined,
      signal: new AbortController().signal,
    });
  const fakeTimers = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
  };
  const silently = () => undefined;
  const until = (broker: { readonly kinds: readonly string[] }, kind: string) =>
    waitUntil(() => expect(broker.kinds).toContain(kind));

  test.each([
    ['before the greeting', undefined],
    ['within the greeting', greeting.subarray(0, 2)],
  ])('%s is given up', async (_, writes) => {
    fakeTimers();
    const broker = await startBroker(
      () => ({ at: 'connect', ...(writes === undefined ? {} : { writes }) }),
      silently,
    );
    const opening = expect(openSession(broker.url)).rejects.toThrow('does not answer');
    await until(broker, 'connect');
    await vi.advanceTimersByTimeAsync(15_000);
    await opening;
  });

  test('at a message is given up', async () => {
    fakeTimers();
    const broker = await startBroker(() => ({ at: 'publish' }), silently);
    const session = await openSession(broker.url);
    session.publish({ topic: 'a', payload: 'b' });
    const settled = session.settled();
    await until(broker, 'publish');
    await vi.advanceTimersByTimeAsync(60_000);
    await settled;
    expect(session.ended()).toMatch('does not answer');
    session.publish({ topic: 'a', payload: 'c' });
    session.close();
    await session.settled();
    expect(broker.kinds.filter((kind) => kind === 'publish')).toHaveLength(1);
  });

  test('at a ping is given up, and never one that answers it', async () => {
    fakeTimers();
    const broker = await startBroker(() => ({ at: 'pingreq', times: 4 }), silently);
    const session = await openSession(broker.url);
    for (const pings of [1, 2, 3, 4]) {
      expect(session.ended()).toBeUndefined();
      await vi.advanceTimersByTimeAsync(60_000);
      await waitUntil(() =>
        expect(broker.kinds.filter((kind) => kind === 'pingreq')).toHaveLength(pings),
      );
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.ended()).toMatch('does not answer');
  });
});
