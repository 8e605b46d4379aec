import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engine } from '../../../rolldown.config.ts';
import * as source from '../../../src/connect/socket/web-socket.ts';

type Client = Pick<typeof source, 'openPlatformSocket'>;

/** The client of sockets alone, built as it is in the engine. */
async function buildClient(): Promise<Client> {
  const { output, ...input } = engine;
  await using build = await rolldown({
    ...input,
    input: { client: 'src/connect/socket/web-socket.ts' },
    cwd: join(import.meta.dirname, '../../..'),
    logLevel: 'silent',
  });
  const { output: chunks } = await build.generate([output ?? []].flat()[0]);
  const directory = await mkdtemp(join(tmpdir(), 'tributary-client-'));
  try {
    const file = join(directory, 'client.cjs');
    await writeFile(file, chunks[0].code);
    return createRequire(import.meta.url)(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const fromGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A platform that answers a request with these headers, sends these frames, and ends. */
async function startPeer(headers: readonly string[], frames: readonly Buffer[]): Promise<string> {
  const answers: Promise<void>[] = [];
  const answer = async (line: Socket): Promise<void> => {
    line.on('error', () => undefined);
    let request = '';
    while (!request.includes('\r\n\r\n')) request += (await once(line, 'data'))[0];
    const [, key] = /^sec-websocket-key: (.+)\r$/im.exec(request) ?? [];
    const accept = createHash('sha1').update(`${key}${fromGuid}`).digest('base64');
    const said = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
    line.write(`${['HTTP/1.1 101 Welcome', ...said, ...headers].join('\r\n')}\r\n\r\n`);
    line.end(Buffer.concat(frames));
  };
  const server = createServer((line) => {
    answers.push(answer(line));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.close();
    await Promise.all(answers);
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Opens a socket there; what became of it once it is closed. */
async function observe({ openPlatformSocket }: Client, url: string) {
  const ended = Promise.withResolvers<source.SocketEnd>();
  const seen = { opened: 0, messages: [] as string[] };
  const socket = openPlatformSocket({
    url,
    token: 'token',
    instanceId: '00000000-0000-4000-8000-000000000000',
    appVersion: '1',
    onOpen: () => {
      seen.opened += 1;
    },
    onMessage: (bytes) => seen.messages.push(`${bytes}`),
    onClose: ended.resolve,
  });
  onTestFinished(() => socket.close());
  const end = await ended.promise;
  return { ...seen, end };
}

const extension = 'Sec-WebSocket-Extensions: permessage-deflate';
const compressed = deflateRawSync('compressed');
const binary = { plain: 0x82, compressed: 0xc2 };
const toFrame = (first: number, bytes: Buffer) =>
  Buffer.concat([Buffer.from([first, bytes.length]), bytes]);
const plainFrame = toFrame(binary.plain, Buffer.from('plain'));
const compressedFrame = toFrame(binary.compressed, compressed);

describe.each([
  ['as it is', async (): Promise<Client> => source],
  ['as it is built into the engine', buildClient],
])('the client of sockets, %s, asks for no compressing', (_, find) => {
  let client: Client;
  beforeAll(async () => {
    client = await find();
  });

  test('and opens none where the platform would compress all the same', async () => {
    const url = await startPeer([extension], [compressedFrame]);
    const { opened, messages, end } = await observe(client, url);
    expect({ opened, messages }).toEqual({ opened: 0, messages: [] });
    expect(end).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('Sec-WebSocket-Extensions') },
    });
  });

  test('and reads what is not compressed, up to a message that is', async () => {
    const url = await startPeer([], [plainFrame, compressedFrame, plainFrame]);
    const seen = await observe(client, url);
    expect(seen).toEqual({ opened: 1, messages: ['plain'], end: { kind: 'closed' } });
  });
});
