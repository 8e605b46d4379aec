/**
 * MQTT 3.1.1, as far as the agent speaks it: it signs in, publishes what is to be kept, listens to
 * one topic, and hears what a broker may answer to that. Chapters are named as in the standard.
 */

/** What a broker sends. */
export type BrokerPacket =
  /** CONNACK: 0 lets the client in, any other code of chapter 3.2.2.3 refuses it. */
  | { readonly kind: 'greeting'; readonly code: number }
  | ReceivedMessage
  | BrokerAnswer
  /** PINGRESP. */
  | { readonly kind: 'pong' };

/** PUBACK or SUBACK: the answer to what was sent with this number. Only SUBACK can refuse it. */
export interface BrokerAnswer {
  readonly kind: 'answer';
  readonly id: number;
  readonly isRefusal: boolean;
}

/** PUBLISH; `id` is undefined where the broker wants no answer. */
export interface ReceivedMessage {
  readonly kind: 'message';
  readonly topic: string;
  readonly payload: Buffer;
  readonly isRetained: boolean;
  readonly id: number | undefined;
}

/** What a client says of itself when it signs in. */
export interface MqttGreeting {
  readonly clientId: string;
  readonly keepaliveSeconds: number;
  readonly username: string | undefined;
  /** Left out without a user name, because the protocol allows no password alone. */
  readonly password: string | undefined;
  /** Published and kept by the broker when the connection ends without a goodbye. */
  readonly will: { readonly topic: string; readonly payload: string };
}

/** The first nibble of a packet (2.2.1). */
const types = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  subscribe: 8,
  suback: 9,
  pingreq: 12,
  pingresp: 13,
} as const;

const atLeastOnce = 1;
const retainFlag = 0x01;
const protocolLevel = 4;
/** The return code of a refused subscription (3.9.3). */
const failure = 0x80;
const longestTextBytes = 0xffff;
/** No broker that we need sends more than this in one packet. */
const largestPacketBytes = 256 * 1024;

const foreign = () => new Error('the broker speaks another language than MQTT 3.1.1');

/** @throws Error for a text that is too long for the protocol */
export function encodeGreeting(greeting: MqttGreeting): Buffer {
  const { clientId, keepaliveSeconds, username, password, will } = greeting;
  const isNamed = username !== undefined;
  const hasPassword = isNamed && password !== undefined;
  const cleanSession = 0x02;
  const keptWill = 0x04 | (atLeastOnce << 3) | 0x20;
  const flags = cleanSession | keptWill | (isNamed ? 0x80 : 0) | (hasPassword ? 0x40 : 0);
  return toPacket(types.connect << 4, [
    toText('MQTT'),
    Buffer.of(protocolLevel, flags),
    toNumber(keepaliveSeconds),
    toText(clientId),
    toText(will.topic),
    toText(will.payload),
    ...(isNamed ? [toText(username)] : []),
    ...(hasPassword ? [toText(password)] : []),
  ]);
}

/**
 * A message that the broker keeps, and has to answer with `id`.
 * @throws Error for a topic that is too long for the protocol
 */
export function encodeMessage(topic: string, payload: string, id: number): Buffer {
  const first = (types.publish << 4) | (atLeastOnce << 1) | retainFlag;
  return toPacket(first, [toText(topic), toNumber(id), Buffer.from(payload)]);
}

/** @throws Error for a topic that is too long for the protocol */
export function encodeSubscription(topic: string, id: number): Buffer {
  // Bits that the standard reserves, and wants to be 2 (3.8.1).
  const first = (types.subscribe << 4) | 0x02;
  return toPacket(first, [toNumber(id), toText(topic), Buffer.of(atLeastOnce)]);
}

export function encodeAnswer(id: number): Buffer {
  return toPacket(types.puback << 4, [toNumber(id)]);
}

export function encodePing(): Buffer {
  return toPacket(types.pingreq << 4, []);
}

/**
 * Takes a broker's bytes as they come, in pieces of any size. The function that it returns gives
 * the packets that are whole by now. It throws an Error that says what is wrong with the bytes,
 * after which no more may be given to it.
 */
export function createPacketReader(): (bytes: Buffer) => readonly BrokerPacket[] {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  // Pieces are put together only when a packet may be whole, so that single bytes cost no more than
  // the packet.
  let neededBytes = 2;
  return (bytes) => {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes < neededBytes) return [];
    let rest = Buffer.concat(waiting);
    const packets: BrokerPacket[] = [];
    for (;;) {
      const size = measurePacket(rest);
      neededBytes = size.totalBytes;
      if (rest.length < neededBytes) break;
      packets.push(decodePacket(rest[0] ?? 0, rest.subarray(size.headBytes, neededBytes)));
      rest = rest.subarray(neededBytes);
    }
    waiting = [rest];
    waitingBytes = rest.length;
    return packets;
  };
}

/** Bytes of the packet that begins here, as far as they are known: at least one more than given. */
function measurePacket(bytes: Buffer): {
  readonly headBytes: number;
  readonly totalBytes: number;
} {
  let bodyBytes = 0;
  // The length has one to four bytes, seven bits in each, the lowest first (2.2.3).
  for (let at = 1; at <= 4; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) return { headBytes: at, totalBytes: Math.max(at + 1, 2) };
    bodyBytes += (byte & 0x7f) << (7 * (at - 1));
    if (bodyBytes > largestPacketBytes) throw new Error('the broker sent too much');
    if (byte < 0x80) return { headBytes: at + 1, totalBytes: at + 1 + bodyBytes };
  }
  throw foreign();
}

function decodePacket(first: number, body: Buffer): BrokerPacket {
  switch (first >> 4) {
    case types.connack:
      if (body.length !== 2) throw foreign();
      return { kind: 'greeting', code: body.readUInt8(1) };
    case types.publish:
      return decodeMessage(first, body);
    case types.puback:
      if (body.length < 2) throw foreign();
      return { kind: 'answer', id: body.readUInt16BE(), isRefusal: false };
    case types.suback:
      if (body.length !== 3) throw foreign();
      return { kind: 'answer', id: body.readUInt16BE(), isRefusal: body.readUInt8(2) >= failure };
    case types.pingresp:
      return { kind: 'pong' };
    default:
      throw foreign();
  }
}

function decodeMessage(first: number, body: Buffer): BrokerPacket {
  const quality = (first >> 1) & 0x03;
  // A broker gives no more than was asked for, which is an answer to each message.
  if (quality > atLeastOnce || body.length < 2) throw foreign();
  const topicEnd = 2 + body.readUInt16BE();
  const payloadStart = topicEnd + (quality === 0 ? 0 : 2);
  if (body.length < payloadStart) throw foreign();
  return {
    kind: 'message',
    topic: body.toString('utf8', 2, topicEnd),
    payload: body.subarray(payloadStart),
    isRetained: (first & retainFlag) !== 0,
    id: quality === 0 ? undefined : body.readUInt16BE(topicEnd),
  };
}

function toPacket(first: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = [first];
  let left = body.length;
  do {
    const more = left > 0x7f ? 0x80 : 0;
    head.push((left & 0x7f) | more);
    left >>= 7;
  } while (left > 0);
  return Buffer.concat([Buffer.from(head), body]);
}

function toText(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > longestTextBytes) throw new Error('a text is too long for MQTT');
  return Buffer.concat([toNumber(bytes.length), bytes]);
}

function toNumber(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
