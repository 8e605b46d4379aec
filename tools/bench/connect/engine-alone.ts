import { randomBytes } from 'node:crypto';
import { setImmediate as turnLoop } from 'node:timers/promises';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import { signContract } from '../../../src/connect/contract/verify.ts';
import { cutPackets, virtioHeaderLength } from '../../../src/connect/packet/cut.ts';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { createJoiner } from '../../../src/connect/packet/join.ts';
import { writeHeaderChecksum } from '../../../src/connect/packet/packet-sums.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import { loadIdentity, makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { createSealedPart } from '../../../src/connect/sealed/sealed-part.ts';
import { createTlsClient } from '../../../src/connect/sealed/tls-client.ts';
import {
  contract,
  contractKeys,
  storedContract,
} from '../../../src/connect/wire/contract-messages.ts';
import { createIdSource } from '../../../src/connect/wire/id.ts';
import { encode } from '../../../src/connect/wire/message.ts';
import { provideModes } from '../../../src/connect/wire/message-types.ts';
import { createConsumer } from '../../../src/reference-service/consumer/consumer.ts';
import { createConsumerSealing } from '../../../src/reference-service/consumer/sealing.ts';
import { LabError } from '../../lab/lab-error.ts';

/** What the engine alone does in a second of one core, without sockets, kernel and consumer. */
export interface AloneSpeed {
  readonly downMegabitsPerSecond: number;
  readonly upMegabitsPerSecond: number;
}

const segment = 1048;
/** One read of the device: 56 segments of one flow. */
const segmentsOfRead = 56;
const headers = 52;
const consumerAddress = [10, 0, 0, 1] as const;
const noKeys = { destinationCertificates: undefined, certificatesSignature: undefined };

/**
 * One flow down, then one up: cut, put into sequences and paid for by the engine, and taken apart
 * by a consumer, whose time is not counted. The line in between takes no time and loses nothing.
 */
export async function measureAlone(megabytes: number): Promise<AloneSpeed> {
  const measure = await startAlone('plaintext');
  measure(megabytes / 2);
  return measure(megabytes / 2);
}

/** Measures so many megabytes, half of them each way, as often as it is called. */
export async function startAlone(
  manner: 'plaintext' | 'sealed',
): Promise<(megabytes: number) => AloneSpeed> {
  const pair = createPair(manner === 'sealed' ? createEnds() : undefined);
  // A first packet up gives the consumer its address.
  pair.up(makeSegments(1)[0] ?? Buffer.alloc(0));
  await pair.settle();
  const giveDown = () => pair.read(segmentsOfRead);
  const giveUp = () => {
    for (const packet of makeSegments(segmentsOfRead)) pair.up(packet);
  };
  return (megabytes) => ({
    downMegabitsPerSecond: pair.measure(megabytes, giveDown),
    upMegabitsPerSecond: pair.measure(megabytes, giveUp),
  });
}

type Ends = ReturnType<typeof createEnds>;

/** Both ends of encryption, and the keys that the platform tells the other one. */
function createEnds() {
  const [own, peer] = [makeIdentity(randomBytes), makeIdentity(randomBytes)];
  const ids = createIdSource({ randomBytes });
  return {
    sealedPart: createSealedPart(own, randomBytes),
    sealing: createConsumerSealing({
      mode: 'required',
      identity: loadIdentity(peer),
      openHandshake: createTlsClient(peer),
      newId: () => ids.next(Date.now()),
      randomBytes,
      onNews: () => undefined,
    }),
    ownKey: loadIdentity(own).publicKey,
    peerKey: loadIdentity(peer).publicKey,
  };
}

function createPair(ends: Ends | undefined) {
  const ids = createIdSource({ randomBytes });
  const [ownId, id] = [ids.next(Date.now()), ids.next(Date.now())];
  const secrets = completeSecrets(randomBytes);
  const streamSecret = randomBytes(32);
  const engine = createEngine({
    ownId,
    secrets,
    wish: 'public',
    ids,
    wallMs: Date.now,
    sealedPart: ends?.sealedPart,
    pool: {
      ipv4: { first: Buffer.from([100, 112, 0, 2]), count: 1000 },
      ipv6: { first: Buffer.alloc(16, 0xfd), count: 1000 },
    },
  });
  const consumer = createConsumer({
    id,
    providerId: ownId,
    streamSecret,
    newId: () => ids.next(Date.now()),
    manner: 'plain',
    randomBytes,
    rate: 1,
    sealing: ends?.sealing,
  });
  let written = 0;
  const joiner = createJoiner((bytes) => {
    written += bytes.length;
  });
  let now = Date.now();
  let engineMs = 0;
  let outer: Buffer | undefined;
  const timed = <Result>(work: () => Result): Result => {
    const before = readCpuMs();
    const result = work();
    engineMs += readCpuMs() - before;
    return result;
  };
  const sign = (from: typeof id, to: typeof id, secret: Buffer, mode: number): Buffer => {
    const destinationKey = to === id ? ends?.peerKey : ends?.ownKey;
    const of = {
      sourceId: from,
      destinationId: to,
      transferByteCount: 128 * 1024 ** 2,
      priority: 1,
    };
    const storedBytes = encode(storedContract, { ...of, contractId: ids.next(now) });
    const hmac = signContract(secret, storedBytes);
    return Buffer.concat([
      encode(contract, { storedBytes, hmac, mode }),
      encode(contractKeys, { ...noKeys, destinationKey }),
    ]);
  };
  const publicSecret = secrets.get(provideModes.public) ?? Buffer.alloc(0);

  /** One turn of both ends, a ms later. */
  const turn = (): void => {
    now += 1;
    const sent = consumer.step(now, 1000);
    for (const ask of sent.asks)
      consumer.answered(ask, sign(id, ownId, publicSecret, provideModes.public), now);
    const step = timed(() => {
      for (const frame of sent.frames) engine.frame(frame, now);
      const done = engine.step(now, 1000);
      for (const packet of done.packets) joiner.add(packet);
      joiner.flush();
      return done;
    });
    outer ??= step.packets[0]?.subarray(12, 16);
    for (const ask of step.asks)
      engine.answered(ask, sign(ownId, id, streamSecret, provideModes.stream), now);
    for (const ask of step.keyAsks) engine.keyFound(ask, ends?.peerKey);
    for (const frame of step.frames) consumer.frame(frame, now);
  };
  const carried = (): number => engine.counters().upBytes + engine.counters().downBytes;

  return {
    up: (packet: Buffer) => consumer.packet(packet, now),
    /** What one read of the device gives. */
    read(segments: number) {
      const read = makeRead(outer ?? Buffer.alloc(4), segments);
      timed(() => {
        for (const packet of cutPackets(read)) engine.packet(packet, now);
      });
    },
    /** TLS goes on between turns of the event loop. */
    async settle() {
      const isSettled = () => written > 0 && ends?.sealing.isSealing() !== false;
      for (let count = 0; count < 3000 && !isSettled(); count++) {
        turn();
        await turnLoop();
      }
      if (!isSettled()) throw new LabError('nothing came through the engine');
    },
    /** Mbit in a second of one core. */
    measure(megabytes: number, give: () => void): number {
      const wanted = carried() + megabytes * 1e6;
      const before = carried();
      engineMs = 0;
      while (carried() < wanted) {
        give();
        for (let count = 0; count < 4; count++) turn();
      }
      return ((carried() - before) * 8) / 1000 / engineMs;
    },
  };
}

/** Processor time of all threads: the collector's too, and not what others have of the machine. */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Segments of one flow from the consumer; each goes on where the one before ended. */
function makeSegments(count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, number) =>
    makeTcp([...consumerAddress, 192, 0, 2, 10], segment, number * segment),
  );
}

/** A virtio header and one flow of so many segments. */
function makeRead(to: Buffer, segments: number): Buffer {
  const packet = makeTcp([192, 0, 2, 10, ...to], segments * segment, 0);
  const header = Buffer.alloc(virtioHeaderLength);
  header[0] = 1;
  header[1] = 1;
  header.writeUInt16LE(headers, 2);
  header.writeUInt16LE(segment, 4);
  return Buffer.concat([header, packet]);
}

function makeTcp(addresses: readonly number[], payload: number, sequence: number): Buffer {
  const bytes = Buffer.alloc(headers + payload);
  bytes[0] = 0x45;
  bytes.writeUInt16BE(bytes.length, 2);
  bytes[8] = 64;
  bytes[9] = 6;
  bytes.set(addresses, 12);
  bytes.writeUInt32BE(sequence, 24);
  bytes[32] = 8 << 4;
  bytes[33] = 0x10;
  const packet = readIpHeader(bytes);
  if (packet !== undefined) writeHeaderChecksum(bytes, packet);
  return bytes;
}
