import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';
import { onTestFinished } from 'vitest';

/** A message that the broker was sent, or published itself as a last will. */
interface Published {
  readonly topic: string;
  readonly text: string;
  readonly isRetained: boolean;
  /** Monotonic ms. */
  readonly atMs: number;
}

/**
 * A broker in this process that keeps what it is sent; it speaks of MQTT 3.1.1 what the agent uses.
 */
export interface SmallBroker {
  readonly url: string;
  /** Every attempt to sign in, in order. */
  readonly connects: readonly IConnectPacket[];
  readonly subscriptions: readonly string[];
  /** Everything that was published, in order. */
  readonly published: readonly Published[];
  /** Bytes of whatever was received. */
  readonly received: readonly Buffer[];
  /** The return code for the next connection; 0: accepted, undefined: no answer at all. */
  answer: number | undefined;
  /** The answer to a subscription: what is granted, or 128 where it is refused. */
  granted: number;
  /** Connections that are open. */
  openCount(): number;
  /** Sends a message to every connection, subscribed or not. */
  send(topic: string, text: string, options?: { readonly isRetained: boolean }): void;
  /** As a power cut would: no last will, nothing kept. */
  kill(): Promise<void>;
  /** Listens again, on the same port. */
  start(): Promise<void>;
}

export async function startSmallBroker(): Promise<SmallBroker> {
  const sockets = new Set<Socket>();
  const connects: IConnectPacket[] = [];
  const subscriptions: string[] = [];
  const published: Published[] = [];
  const received: Buffer[] = [];
  let isDead = false;
  const note = (topic: string, payload: string | Buffer, isRetained: boolean) =>
    published.push({ topic, text: payload.toString(), isRetained, atMs: performance.now() });

  const serve = (socket: Socket) => {
    let will: IConnectPacket['will'];
    const reply = (packet: Packet) => socket.write(generate(packet));
    const signIn = (packet: IConnectPacket) => {
      connects.push(packet);
      if (broker.answer === undefined) return;
      reply({ cmd: 'connack', returnCode: broker.answer, sessionPresent: false });
      if (broker.answer === 0) will = packet.will;
    };
    const onPacket = (packet: Packet) => {
      switch (packet.cmd) {
        case 'connect':
          signIn(packet);
          break;
        case 'subscribe':
          subscriptions.push(...packet.subscriptions.map(({ topic }) => topic));
          reply({
            cmd: 'suback',
            messageId: packet.messageId ?? 0,
            granted: packet.subscriptions.map(() => broker.granted),
          });
          break;
        case 'publish':
          note(packet.topic, packet.payload, packet.retain);
          if (packet.qos === 1) reply({ cmd: 'puback', messageId: packet.messageId ?? 0 });
          break;
        case 'pingreq':
          reply({ cmd: 'pingresp' });
          break;
        case 'disconnect':
          will = undefined;
          break;
      }
    };
    const reader = parser({ protocolVersion: 4 });
    reader.on('packet', onPacket);
    reader.on('error', () => socket.destroy());
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received.push(bytes);
      reader.parse(bytes);
    });
    socket.on('close', () => {
      sockets.delete(socket);
      if (will !== undefined && !isDead) note(will.topic, will.payload, will.retain === true);
    });
  };

  const server = createServer(serve);
  const listen = async (port: number) => {
    isDead = false;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const kill = async () => {
    isDead = true;
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  const port = await listen(0);
  onTestFinished(kill);
  const broker: SmallBroker = {
    url: `mqtt://127.0.0.1:${port}`,
    connects,
    subscriptions,
    published,
    received,
    answer: 0,
    granted: 1,
    openCount: () => sockets.size,
    send(topic, text, { isRetained } = { isRetained: false }) {
      const packet = {
        cmd: 'publish',
        topic,
        payload: text,
        qos: 0,
        retain: isRetained,
        dup: false,
      } as const;
      for (const socket of sockets) socket.write(generate(packet));
    },
    kill,
    start: async () => void (await listen(port)),
  };
  return broker;
}
