import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { waitUntil } from '../patience.ts';
import { makeCertificate, type OwnCertificate } from './certificates.ts';
import { password, startAgent } from './mqtt-agent.ts';
import { type SmallBroker, startSmallBroker } from './small-broker.ts';

async function listen(server: Server, port: number, address: string): Promise<void> {
  server.listen(port, address);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
}

/** TLS before the broker, at another address and the same port. */
async function secure(broker: SmallBroker, { certificate: cert, key }: OwnCertificate) {
  const port = Number(new URL(broker.url).port);
  const server = createTlsServer({ cert, key }, (socket) => {
    const inner = connect(port, '127.0.0.1');
    for (const end of [socket, inner]) end.on('error', () => undefined);
    socket.pipe(inner).pipe(socket);
  });
  await listen(server, port, '127.0.0.3');
  return port;
}

const faults: readonly (readonly [string, () => Server])[] = [
  ['hangs up', () => createServer((socket) => socket.destroy())],
  ['speaks no TLS', () => createServer((socket) => void socket.end('220 another service\r\n'))],
  [
    'shows a certificate for which nobody vouches',
    () => {
      const { certificate: cert, key } = makeCertificate();
      return createTlsServer({ cert, key }).on('tlsClientError', () => undefined);
    },
  ],
];

describe('a broker by mqtts:// whose name has several addresses', () => {
  test.each(faults)('is reached at the next one where the first %s', async (_, createBad) => {
    const own = makeCertificate();
    const broker = await startSmallBroker();
    const port = await secure(broker, own);
    await listen(createBad(), port, '127.0.0.2');
    const agent = startAgent('', {
      broker: {
        url: `mqtts://service.example:${port}`,
        username: 'tributary',
        password: new Secret(password),
        certificateAuthority: own.certificate,
      },
      names: { lookUp: async () => ['127.0.0.2', '127.0.0.3'] },
    });
    await waitUntil(() => expect(broker.connects).toHaveLength(1));
    await agent.waitForLine(/"state":"delivered"/);
    expect(agent.lines).toHaveLength(1);
  });
});
