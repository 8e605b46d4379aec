import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/*
 * One end of a conversation, in a process of its own namespace. Takes commands as JSON lines,
 * answers each with one: a TCP echo on every port told, a UDP port that only counts what it hears,
 * by the first word of what was said.
 */

export type TalkerCommand =
  | { readonly kind: 'listen'; readonly tcp: readonly number[]; readonly udp: readonly number[] }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | {
      readonly kind: 'udp';
      readonly host: string;
      readonly port: number;
      readonly word: string;
      readonly count: number;
      readonly size: number;
    }
  | { readonly kind: 'flood'; readonly host: string; readonly from: string; readonly count: number }
  | {
      readonly kind: 'hold';
      readonly host: string;
      readonly port: number;
      readonly from: string;
      readonly count: number;
      readonly waitMs: number;
    }
  | { readonly kind: 'open'; readonly host: string; readonly port: number }
  | { readonly kind: 'echo'; readonly bytes: number; readonly waitMs: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'heard' };

const heard: Record<string, number> = {};
const held = new Set<Socket>();
const accepted = new Set<Socket>();
let opened: Socket | undefined;
let received = 0;

function listen(tcp: readonly number[], udp: readonly number[]): Promise<string> {
  const ready = [
    ...tcp.map(
      (port) =>
        new Promise<void>((resolve) => {
          const server = createServer((socket) => {
            accepted.add(socket);
            socket.on('error', () => undefined);
            socket.on('close', () => accepted.delete(socket));
            socket.pipe(socket);
          });
          server.listen(port, '::', resolve);
        }),
    ),
    ...udp.map(
      (port) =>
        new Promise<void>((resolve) => {
          const socket = createSocket({ type: 'udp6', recvBufferSize: 4_000_000 });
          socket.on('message', (message) => {
            const word = message.toString('latin1').split(' ')[0] ?? '';
            heard[word] = (heard[word] ?? 0) + 1;
          });
          socket.bind(port, '::', resolve);
        }),
    ),
  ];
  return Promise.all(ready).then(() => 'listening');
}

function tryTcp(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 });
    // A reset of a connection that is not yet made would wait for it, and go on trying.
    socket.on('connect', () => {
      socket.resetAndDestroy();
      resolve('reached');
    });
    for (const event of ['timeout', 'error']) {
      socket.on(event, () => {
        socket.destroy();
        resolve('refused');
      });
    }
  });
}

async function sendUdp(command: Extract<TalkerCommand, { kind: 'udp' }>): Promise<string> {
  const socket = createSocket(command.host.includes(':') ? 'udp6' : 'udp4');
  const message = Buffer.from(`${command.word} `.padEnd(command.size, '.'));
  for (let sent = 0; sent < command.count; sent += 1) await send(socket, message, command);
  socket.close();
  return 'sent';
}

function send(
  socket: UdpSocket,
  message: Buffer,
  { host, port }: { host: string; port: number },
): Promise<void> {
  return new Promise((resolve) => socket.send(message, port, host, () => resolve()));
}

/** A datagram to each of so many ports: as many connections to those who track them. */
async function flood({
  host,
  from,
  count,
}: Extract<TalkerCommand, { kind: 'flood' }>): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  await new Promise<void>((resolve) => socket.bind(0, from, resolve));
  for (let sent = 0; sent < count; sent += 1)
    await send(socket, Buffer.from('x'), { host, port: 10_000 + sent });
  socket.close();
  return 'sent';
}

/** Opens connections and keeps them: how many of them are open in the end. */
async function hold({
  host,
  port,
  from,
  count,
  waitMs,
}: Extract<TalkerCommand, { kind: 'hold' }>): Promise<string> {
  const sockets = Array.from({ length: count }, () => connect({ host, port, localAddress: from }));
  const open = new Set<Socket>();
  let until = performance.now() + waitMs;
  for (const socket of sockets) {
    held.add(socket);
    socket.on('connect', () => {
      open.add(socket);
      // A busy machine opens them one after another: it is waited on while any still opens.
      until = performance.now() + waitMs;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  }
  while (open.size < count && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return String(open.size);
}

function open(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    opened = socket;
    received = 0;
    socket.on('connect', () => resolve('open'));
    socket.on('error', () => resolve('failed'));
    socket.on('data', (data: Buffer) => {
      received += data.length;
    });
  });
}

/** Says so many bytes on the open connection, and waits until they have come back. */
async function echo(bytes: number, waitMs: number): Promise<string> {
  const wanted = received + bytes;
  const until = performance.now() + waitMs;
  opened?.write(Buffer.alloc(bytes, 0x74));
  while (received < wanted && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return received >= wanted ? 'heard' : 'silence';
}

function run(command: TalkerCommand): Promise<string> {
  switch (command.kind) {
    case 'listen':
      return listen(command.tcp, command.udp);
    case 'tcp':
      return tryTcp(command.host, command.port);
    case 'udp':
      return sendUdp(command);
    case 'flood':
      return flood(command);
    case 'hold':
      return hold(command);
    case 'open':
      return open(command.host, command.port);
    case 'echo':
      return echo(command.bytes, command.waitMs);
    case 'close':
      for (const socket of [...accepted, ...(opened === undefined ? [] : [opened])])
        socket.resetAndDestroy();
      // One that is not open yet would wait for it before its reset.
      for (const socket of held) socket.connecting ? socket.destroy() : socket.resetAndDestroy();
      held.clear();
      opened = undefined;
      return Promise.resolve('closed');
    case 'heard':
      return Promise.resolve(JSON.stringify(heard));
  }
}

async function answer(line: string): Promise<void> {
  const { id, command } = JSON.parse(line) as { id: number; command: TalkerCommand };
  process.stdout.write(`${JSON.stringify({ id, result: await run(command) })}\n`);
}

createInterface({ input: process.stdin }).on('line', answer);
