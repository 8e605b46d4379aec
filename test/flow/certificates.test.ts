import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSession } from '../../src/cli/frame/session.ts';
import { loadConfig } from '../../src/config/load.ts';
import { knock, listClients, readDate } from '../../src/doctor/ask-service.ts';
import type { Names } from '../../src/lib/connect-in-turn.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { makeCertificates } from '../faults/certificates.ts';
import { makeFile } from '../unit/config/config-fixture.ts';
import { makeCertificate, type OwnCertificate, startTlsService } from './certificates.ts';

const token = new Secret('a.network.jwt');
const signal = new AbortController().signal;

/** Asks for the clients: how many, or why not. */
function ask(baseUrl: string, certificateAuthority?: () => string | undefined, names?: Names) {
  const client = createServiceClient({
    baseUrl,
    names,
    allowInsecureHttp: false,
    certificateAuthority,
    random: () => 0,
  });
  onTestFinished(() => client.close());
  return () =>
    client.call('clients', undefined, { token, signal }).then(({ clients }) => clients.length);
}

async function load(baseUrl: string, { file }: Pick<OwnCertificate, 'file'>) {
  const text = `service: { base_url: "${baseUrl}", ca_file: "${file}" }`;
  return loadConfig({
    configPath: makeFile(text),
    environment: { TRIBUTARY_NETWORK_JWT: 'a.network.jwt' },
    userId: 0,
  });
}

describe('a service with a certificate of its own', () => {
  test('is not spoken to, and nobody is told to weaken Node for it', async () => {
    const { baseUrl, asked } = await startTlsService(makeCertificate());
    await expect(ask(baseUrl)()).rejects.toMatchObject({
      code: 'service-unreachable',
      message: expect.stringMatching(/certificate(?!.*Node\.js)/),
    });
    expect(asked).toEqual([]);
  });

  test('is named with the address that its name has', async () => {
    const { baseUrl } = await startTlsService(makeCertificate());
    const byName = `https://localhost:${new URL(baseUrl).port}`;
    await expect(ask(byName)()).rejects.toThrow(
      /no connection to localhost:\d+: .*certificate.* \(127\.0\.0\.1\)$/,
    );
  });

  test.each(['notYet', 'expired'] as const)(
    'that is %s now is told with what else it may be',
    async (which) => {
      const directory = mkdtempSync(join(tmpdir(), 'tributary-clock-'));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const made = makeCertificates(directory);
      const { cert, key } = made[which];
      const { baseUrl } = await startTlsService({ certificate: cert, key, file: '' });
      const byName = `https://localhost:${new URL(baseUrl).port}`;
      await expect(ask(byName, () => readFileSync(made.authorityFile, 'utf8'))()).rejects.toThrow(
        /if the service's certificate is right, this device's clock is wrong$/,
      );
    },
  );

  test('is not spoken to where the environment says that certificates do not count', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => void warn.mockRestore());
    const { baseUrl, asked } = await startTlsService(makeCertificate());
    await expect(ask(baseUrl)()).rejects.toMatchObject({ code: 'service-unreachable' });
    expect(asked).toEqual([]);
    // Node warns once in a process.
    for (const [text] of warn.mock.calls) expect(text).toContain('NODE_TLS_REJECT_UNAUTHORIZED');
  });

  test('is spoken to where that certificate, and no other, vouches for it', async () => {
    const [own, other] = [makeCertificate(), makeCertificate()];
    const { baseUrl } = await startTlsService(own);
    expect(await ask(baseUrl, () => own.certificate)()).toBe(0);
    await expect(ask(baseUrl, () => other.certificate)()).rejects.toMatchObject({
      code: 'service-unreachable',
    });
  });

  test.each<[string, (port: number) => Server]>([
    ['hangs up', (port) => createServer((socket) => socket.destroy()).listen(port, '127.0.0.2')],
    [
      'shows one for which nobody vouches',
      (port) => {
        const { certificate: cert, key } = makeCertificate();
        return createTlsServer({ cert, key }).listen(port, '127.0.0.2');
      },
    ],
  ])('is reached at the next address of its name where the first %s', async (_, begin) => {
    const own = makeCertificate();
    const { baseUrl, asked } = await startTlsService(own);
    const { port } = new URL(baseUrl);
    const bad = begin(Number(port));
    await once(bad, 'listening');
    onTestFinished(() => {
      bad.close();
    });
    const names = { lookUp: async () => ['127.0.0.2', '127.0.0.1'] };
    const url = `https://service.example:${port}`;
    expect(await ask(url, () => own.certificate, names)()).toBe(0);
    expect(asked).toHaveLength(1);
  });

  test('is spoken to no longer from the next connection on, once another one vouches', async () => {
    const [own, other] = [makeCertificate(), makeCertificate()];
    const { baseUrl } = await startTlsService(own);
    let certificate = own.certificate;
    const askAgain = ask(baseUrl, () => certificate);
    expect(await askAgain()).toBe(0);
    certificate = other.certificate;
    await expect(askAgain()).rejects.toMatchObject({ code: 'service-unreachable' });
    certificate = own.certificate;
    expect(await askAgain()).toBe(0);
  });

  test('is reached by commands and by the doctor too, with service.ca_file', async () => {
    const own = makeCertificate();
    const { baseUrl, asked } = await startTlsService(own);
    const loaded = await load(baseUrl, own);
    const { configPath, environment } = {
      configPath: loaded.file,
      environment: { TRIBUTARY_NETWORK_JWT: 'a.b.c' },
    };
    const context = { environment, stderr: process.stderr } as never;
    await using session = await openSession({ config: configPath ?? '' }, context);
    expect((await session.call('clients', undefined)).clients).toEqual([]);
    expect(asked).toEqual(['Bearer a.b.c']);
    expect(await knock(loaded.service, 'clients')).toMatchObject({ status: 200 });
    expect(await listClients(loaded.service, token)).toEqual([]);
  });

  test('tells the doctor the time nevertheless, also by a name', async () => {
    const { baseUrl } = await startTlsService(makeCertificate());
    const { port } = new URL(baseUrl);
    const dates = [baseUrl, `https://localhost:${port}`].map((url) => readDate({ baseUrl: url }));
    for (const date of await Promise.all(dates)) expect(date).toBeInstanceOf(Date);
    expect(await readDate({ baseUrl: 'https://localhost:1' })).toBeUndefined();
  });
});
