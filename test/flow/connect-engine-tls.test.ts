import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine, startEngineWorld } from '../connect/support/engine-world.ts';
import { connectConsumer } from '../connect/support/socket-consumer.ts';
import { makeCertificate, type OwnCertificate } from './certificates.ts';

/** Speaks TLS in front of a server that does not. */
async function startTlsFront(of: OwnCertificate, plainUrl: string): Promise<number> {
  const to = Number(new URL(plainUrl).port);
  const front = createServer({ cert: of.certificate, key: of.key }, (socket) => {
    const plain = connect(to, '127.0.0.1');
    socket.pipe(plain).pipe(socket);
    for (const end of [socket, plain]) {
      end.on('error', () => undefined);
      end.on('close', () => {
        for (const one of [socket, plain]) one.destroy();
      });
    }
  });
  front.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => front.close(() => resolve())));
  return (front.address() as AddressInfo).port;
}

async function setUp() {
  const own = makeCertificate();
  const world = await startEngineWorld();
  const port = await startTlsFront(own, world.platform.url);
  const urls = [`wss://127.0.0.1:${port}/`];
  const start = { ...world.start, urls, controlUrl: `https://127.0.0.1:${port}/connect/control` };
  return { ...world, own, start };
}

test('over TLS packets go through, where the certificate is one that is trusted', async () => {
  const { start, own, platform, ids, ownId } = await setUp();
  const engine = startEngine({ ...start, authority: own.certificate });
  await engine.waitFor('state', { isConnected: true, isPublished: true, problem: null });
  const { exchange, settle, close, consumer } = await connectConsumer({
    platform,
    ids,
    providerId: ownId,
  });
  await exchange(500);
  await settle();
  engine.tell({ type: 'stop', final: false });
  await engine.ended;
  close();
  for (const [contractId, bytes] of consumer.got)
    expect(platform.reported.get(contractId)).toBe(bytes);
});

test('a certificate that nobody vouches for is refused, by control and by the socket', async () => {
  const { start, own, platform, ownId } = await setUp();
  const engine = startEngine(start);
  await engine.waitFor('problem', {
    code: 'tls-refused',
    message: expect.stringMatching(/certificate/),
  });
  expect(platform.publications.size).toBe(0);
  engine.terminate();
  await engine.ended;
  // What is published already needs no control before the socket.
  const good = startEngine({ ...start, authority: own.certificate });
  await good.waitFor('state', { isConnected: true, isPublished: true });
  good.terminate();
  await good.ended;
  const published = good.kept()?.published ?? null;
  const before = platform.upgrades.get(ownId);
  const again = startEngine({ ...start, published });
  await again.waitFor('problem', { code: 'tls-refused' });
  again.terminate();
  await again.ended;
  expect(platform.upgrades.get(ownId)).toBe(before);
});
