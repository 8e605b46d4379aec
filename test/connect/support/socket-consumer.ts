import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress, rewriteAddress } from '../../../src/connect/packet/rewrite.ts';
import type { PacketDevice } from '../../../src/connect/tun/tun-device.ts';
import { type Id, type IdSource, toUuid } from '../../../src/connect/wire/id.ts';
import { patienceMs } from '../../patience.ts';
import { makePacket } from './packets.ts';
import { createTestConsumer, type TestConsumer } from './test-consumer.ts';
import type { TestPlatform } from './test-platform.ts';

/** Less than the least window of answers. */
const mostAtOnce = 24;

/** A consumer on a real socket, whose packets come back from an echo. */
export interface SocketConsumer {
  readonly consumer: TestConsumer;
  /** Sends so many packets, and resolves when all have come back, in order. */
  exchange(count: number): Promise<void>;
  /** Goes on with its acks and contracts until that is so. */
  until(isDone: () => boolean): Promise<void>;
  /** Resolves when both ends have each other's last acks. */
  settle(): Promise<void>;
  close(): void;
}

export async function connectConsumer(of: {
  readonly platform: TestPlatform;
  readonly ids: IdSource;
  readonly providerId: Id;
}): Promise<SocketConsumer> {
  const { platform, ids, providerId } = of;
  const id = ids.next(Date.now());
  const streamSecret = randomBytes(32);
  platform.publish(id, new Map([[4, streamSecret]]));
  const consumer = createTestConsumer({
    id,
    providerId,
    streamSecret,
    newId: () => ids.next(Date.now()),
    newContract() {
      const contract = platform.grant({ from: id, to: providerId, byteCount: 8 * 1024 * 1024 });
      if (contract === undefined) throw new Error('no contract');
      return { contractId: ids.next(0), contract, usable: 6 * 1024 * 1024 };
    },
  });
  const socket = new WebSocket(platform.url, {
    headers: { Authorization: `Bearer ${toUuid(id)}` },
  });
  const step = (): void => {
    for (const bytes of consumer.step(readClock())) socket.send(bytes);
  };
  socket.on('message', (bytes: Buffer) => {
    consumer.frame(bytes, readClock());
    step();
  });
  await new Promise((resolve) => socket.once('open', resolve));

  const until = async (isDone: () => boolean): Promise<void> => {
    const deadline = readClock() + patienceMs;
    while (!isDone()) {
      if (readClock() > deadline) throw new Error('it did not come');
      step();
      await sleep(1);
    }
  };
  return {
    consumer,
    until,
    async exchange(count) {
      const before = consumer.received.length;
      let sent = 0;
      await until(() => {
        // Never more than what may be on its way at once: of what waits for long, some is dropped.
        for (; sent < Math.min(count, consumer.received.length - before + mostAtOnce); sent++)
          consumer.send(
            makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000, sent) }),
            readClock(),
          );
        return consumer.received.length === before + count;
      });
    },
    async settle() {
      // The last acks are on their way for a moment.
      const settledAt = readClock() + 200;
      await until(() => readClock() > settledAt && consumer.sender().counters().unackedBytes === 0);
    },
    close: () => socket.terminate(),
  };
}

/** Gives every packet back to where it came from. */
export function createEchoDevice(): PacketDevice & { end(): void } {
  let listener: (packets: readonly Buffer[]) => void = () => undefined;
  let hasEnded = false;
  return {
    start(onPackets) {
      listener = onPackets;
    },
    write: (packets) => listener(packets.map(turnAround)),
    state: () => ({ failedWrites: 0, hasEnded }),
    end() {
      hasEnded = true;
    },
  };
}

export function readClock(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

function turnAround(packet: Buffer): Buffer {
  const header = readIpHeader(packet);
  if (header === undefined) throw new Error('not a packet');
  const source = Buffer.from(readAddress(packet, header, 'source'));
  const destination = Buffer.from(readAddress(packet, header, 'destination'));
  rewriteAddress(packet, header, { place: 'source', address: destination });
  rewriteAddress(packet, header, { place: 'destination', address: source });
  return packet;
}
