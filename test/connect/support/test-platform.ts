import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { PostControl } from '../../../src/connect/control/control-client.ts';
import {
  closeContract,
  createContract,
  createContractResult,
} from '../../../src/connect/wire/contract-messages.ts';
import { provide } from '../../../src/connect/wire/control-messages.ts';
import {
  decodeFrames,
  encodeFrames,
  type Frame,
  toFrame,
} from '../../../src/connect/wire/frame.ts';
import { fromUuid, type Id, type IdSource } from '../../../src/connect/wire/id.ts';
import { decode, encode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { readPath } from '../../../src/connect/wire/transfer-frame.ts';
import { makeContract } from './contracts.ts';

/**
 * A platform on a real socket: it passes frames on, signs contracts, and counts what is reported.
 */
export interface TestPlatform extends AsyncDisposable {
  readonly url: string;
  readonly controlUrl: string;
  /** The status of each answer over HTTP, and of each upgrade; 200 unless it is changed. */
  status: number;
  /** Keys that came and were answered, and sockets that were opened, of all clients, in order. */
  readonly events: readonly PlatformEvent[];
  /** So long a key waits for its answer; 0 unless it is changed. */
  keyAnswerMs: number;
  /** How often each client published, over HTTP or without. */
  readonly publications: ReadonlyMap<Id, number>;
  /** How often each client was let in by a socket. */
  readonly upgrades: ReadonlyMap<Id, number>;
  publishedModes(client: Id): readonly number[];
  /** HTTP control of this client, without HTTP. */
  post(client: Id): PostControl;
  /** A plain contract to the provider. */
  grant(of: { readonly from: Id; readonly to: Id; readonly byteCount: number }): Buffer | undefined;
  /** Secrets that a client published, by mode. */
  publish(client: Id, secrets: ReadonlyMap<number, Buffer>): void;
  readonly reported: ReadonlyMap<Id, number>;
  /** Open sockets of a client, oldest first. */
  socketsOf(client: Id): readonly WebSocket[];
}

type PlatformEvent = 'key' | 'key-answered' | 'socket';

export async function startTestPlatform(ids: IdSource): Promise<TestPlatform> {
  const world = { status: 200, keyAnswerMs: 0 };
  const publications = new Map<Id, number>();
  const upgrades = new Map<Id, number>();
  const events: PlatformEvent[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.statusCode = world.status;
    const isGood = world.status === 200;
    const answers = isGood ? answerAll(readClient(request), `${Buffer.concat(parts)}`) : '';
    if (events.at(-1) === 'key') {
      await sleep(world.keyAnswerMs);
      events.push('key-answered');
    }
    response.end(answers);
  });
  const sockets = new Map<Id, WebSocket[]>();
  const secrets = new Map<Id, ReadonlyMap<number, Buffer>>();
  const reported = new Map<Id, number>();
  const webSockets = new WebSocketServer({
    server,
    maxPayload: 4100,
    perMessageDeflate: false,
    // A bad token is told as the real one does: by closing what was opened.
    verifyClient: (_: unknown, done: (isGood: boolean, status: number) => void) =>
      done(world.status === 200 || world.status === 401, world.status),
  });
  webSockets.on('connection', (socket, request) => {
    if (world.status === 401) {
      socket.terminate();
      return;
    }
    const client = readClient(request);
    events.push('socket');
    upgrades.set(client, (upgrades.get(client) ?? 0) + 1);
    sockets.set(client, [...(sockets.get(client) ?? []), socket]);
    socket.on('message', (bytes: Buffer) => {
      const to = readPath(bytes)?.destinationId;
      if (to !== undefined) sockets.get(to)?.at(-1)?.send(bytes);
    });
    socket.on('close', () => {
      sockets.set(
        client,
        (sockets.get(client) ?? []).filter((one) => one !== socket),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const sign = (of: { from: Id; to: Id; byteCount: number; mode: number }): Buffer | undefined => {
    const secret = secrets.get(of.to)?.get(of.mode);
    if (secret === undefined) return undefined;
    const contractId = ids.next(Date.now());
    const { from: sourceId, to: destinationId, byteCount, mode } = of;
    return makeContract({ contractId, sourceId, destinationId, byteCount, secret, mode });
  };
  const answer = (client: Id, { type, bytes }: Frame): readonly Frame[] => {
    if (type === messageTypes.provide) {
      const { keys } = decode(provide, bytes);
      publications.set(client, (publications.get(client) ?? 0) + 1);
      secrets.set(client, new Map(keys.map(({ mode, secret }) => [mode, Buffer.from(secret)])));
    }
    if (type === messageTypes.clientKey) events.push('key');
    if (type === messageTypes.closeContract) {
      const { contractId, ackedByteCount } = decode(closeContract, bytes);
      reported.set(contractId, (reported.get(contractId) ?? 0) + ackedByteCount);
    }
    if (type !== messageTypes.createContract) return [];
    const request = decode(createContract, bytes);
    const { destinationId: to, transferByteCount: byteCount } = request;
    const contract = sign({ from: client, to, byteCount, mode: request.isCompanion ? 4 : 1 });
    const error = contract === undefined ? 1 : undefined;
    const result = encode(createContractResult, { error, contract, request });
    return [toFrame(messageTypes.createContractResult, result)];
  };

  const answerAll = (client: Id, body: string): string => {
    const frames = decodeFrames(Buffer.from(JSON.parse(body).pack, 'base64'));
    const pack = encodeFrames(frames.flatMap((frame) => answer(client, frame)));
    return JSON.stringify({ pack: pack.toString('base64'), error: null });
  };

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    controlUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/connect/control`,
    get status() {
      return world.status;
    },
    set status(status) {
      world.status = status;
    },
    events,
    get keyAnswerMs() {
      return world.keyAnswerMs;
    },
    set keyAnswerMs(ms) {
      world.keyAnswerMs = ms;
    },
    publications,
    upgrades,
    publishedModes: (client) => [...(secrets.get(client)?.keys() ?? [])],
    post: (client) => async (body) => ({
      kind: 'answered',
      status: 200,
      text: answerAll(client, body),
    }),
    grant: (of) => sign({ ...of, mode: 3 }),
    publish(client, of) {
      secrets.set(client, of);
    },
    reported,
    socketsOf: (client) => sockets.get(client) ?? [],
    async [Symbol.asyncDispose]() {
      for (const socket of webSockets.clients) socket.terminate();
      webSockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client's token is its id here. */
function readClient(request: IncomingMessage): Id {
  return fromUuid(request.headers.authorization?.split(' ')[1] ?? '');
}
