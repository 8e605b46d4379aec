import fc from 'fast-check';
import { generate, type Packet, parser } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import {
  createPacketReader,
  encodeAnswer,
  encodeGreeting,
  encodeMessage,
  encodePing,
  encodeSubscription,
} from '../../../src/report/mqtt-packets.ts';

/** What another reader of the protocol makes of the bytes. */
function readAsBroker(bytes: Buffer): readonly Packet[] {
  const packets: Packet[] = [];
  const reader = parser({ protocolVersion: 4 });
  reader.on('packet', (packet) => packets.push(packet));
  reader.on('error', (error) => {
    throw error;
  });
  reader.parse(bytes);
  return packets;
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
// No wildcard, which the other reader refuses in a topic that is published to.
const topic = text.filter((letters) => !/[+#\0]/.test(letters));
const id = fc.integer({ min: 1, max: 0xffff });

describe('what the agent sends is read by another reader of the protocol as it was meant:', () => {
  test('who signs in, with what, and what is said when it is gone', () => {
    fc.assert(
      fc.property(text, fc.option(text), fc.option(text), topic, (clientId, name, secret, will) => {
        const [packet, ...more] = readAsBroker(
          encodeGreeting({
            clientId,
            keepaliveSeconds: 60,
            username: name ?? undefined,
            password: secret ?? undefined,
            will: { topic: will, payload: 'offline' },
          }),
        );
        expect(more).toEqual([]);
        expect(packet).toMatchObject({
          cmd: 'connect',
          protocolId: 'MQTT',
          protocolVersion: 4,
          clean: true,
          clientId,
          keepalive: 60,
          will: { topic: will, payload: Buffer.from('offline'), qos: 1, retain: true },
        });
        const { username, password } = packet as { username?: string; password?: Buffer };
        expect(username).toBe(name ?? undefined);
        expect(password?.toString()).toBe(name === null ? undefined : (secret ?? undefined));
      }),
    );
  });

  test('a message to keep, of any length', () => {
    const payload = fc.oneof(
      fc.string(),
      fc.constantFrom(120, 16_380, 20_000).map((length) => 'a'.repeat(length)),
    );
    fc.assert(
      fc.property(topic, payload, id, (name, words, messageId) => {
        expect(readAsBroker(encodeMessage(name, words, messageId))).toMatchObject([
          {
            cmd: 'publish',
            topic: name,
            payload: Buffer.from(words),
            messageId,
            qos: 1,
            retain: true,
            dup: false,
          },
        ]);
      }),
    );
  });

  test('a subscription, an answer, a ping', () => {
    const bytes = Buffer.concat([encodeSubscription('a/b', 7), encodeAnswer(65_535), encodePing()]);
    expect(readAsBroker(bytes)).toMatchObject([
      { cmd: 'subscribe', messageId: 7, subscriptions: [{ topic: 'a/b', qos: 1 }] },
      { cmd: 'puback', messageId: 65_535 },
      { cmd: 'pingreq' },
    ]);
  });

  test('no text that is too long to be said', () => {
    expect(() => encodeMessage('a'.repeat(65_536), '', 1)).toThrow('too long');
  });
});

const sent: readonly { readonly packet: Packet; readonly read: object }[] = [
  {
    packet: { cmd: 'connack', returnCode: 5, sessionPresent: false },
    read: { kind: 'greeting', code: 5 },
  },
  {
    packet: { cmd: 'suback', messageId: 1, granted: [1] },
    read: { kind: 'answer', id: 1, isRefusal: false },
  },
  {
    packet: { cmd: 'suback', messageId: 2, granted: [128] },
    read: { kind: 'answer', id: 2, isRefusal: true },
  },
  {
    packet: { cmd: 'publish', topic: 'é/x', payload: 'none', qos: 0, retain: true, dup: false },
    read: {
      kind: 'message',
      topic: 'é/x',
      payload: Buffer.from('none'),
      isRetained: true,
      id: undefined,
    },
  },
  {
    packet: {
      cmd: 'publish',
      topic: 'a',
      payload: 'b'.repeat(20_000),
      qos: 1,
      retain: false,
      dup: true,
      messageId: 515,
    },
    read: {
      kind: 'message',
      topic: 'a',
      payload: Buffer.from('b'.repeat(20_000)),
      isRetained: false,
      id: 515,
    },
  },
  {
    packet: { cmd: 'puback', messageId: 65_535 },
    read: { kind: 'answer', id: 65_535, isRefusal: false },
  },
  { packet: { cmd: 'pingresp' }, read: { kind: 'pong' } },
];
const stream = Buffer.concat(sent.map(({ packet }) => generate(packet)));

describe('what a broker sends', () => {
  test('is read as it was meant, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length - 1)), (cuts) => {
        const read = createPacketReader();
        const ends = [...new Set([...cuts, stream.length])].sort((a, b) => a - b);
        const packets = ends.flatMap((end, at) => read(stream.subarray(ends[at - 1] ?? 0, end)));
        expect(packets).toEqual(sent.map(({ read: expected }) => expected));
      }),
    );
  });

  test('is read byte by byte', () => {
    const read = createPacketReader();
    expect([...stream].flatMap((byte) => read(Buffer.of(byte)))).toHaveLength(sent.length);
  });

  test.each([
    ['a type that is none', [0x00, 0x00], 'another language'],
    ['a type that only clients send', [0x10, 0x00], 'another language'],
    ['a length of five bytes', [0x30, 0x80, 0x80, 0x80, 0x80, 0x01], 'another language'],
    ['a greeting of another version', [0x20, 0x03, 0, 0, 0], 'another language'],
    ['a message that ends in its topic', [0x30, 0x03, 0, 9, 97], 'another language'],
    ['a message that ends in its number', [0x32, 0x03, 0, 1, 97], 'another language'],
    ['a message that wants two answers', [0x34, 0x05, 0, 1, 97, 0, 1], 'another language'],
    ['an answer without its number', [0x40, 0x01, 0], 'another language'],
    ['more than there can be', [0x30, 0xff, 0xff, 0xff, 0x7f], 'sent too much'],
  ])('is refused for %s', (_, bytes, why) => {
    expect(() => createPacketReader()(Buffer.from(bytes))).toThrow(why);
  });

  test('is never more than packets and one reason', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          createPacketReader()(Buffer.from(bytes));
        } catch (error) {
          expect(String(error)).toMatch(/the broker/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
