import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A certificate of its own for 127.0.0.1 and service.example, as PEM, and its file. */
export interface OwnCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly file: string;
}

/** Made by openssl; gone with the test. */
export function makeCertificate(): OwnCertificate {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-certificate-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [file, key] = [join(directory, 'authority.pem'), join(directory, 'key.pem')];
  const names = [
    '-subj',
    '/CN=tributary test',
    '-addext',
    'subjectAltName=IP:127.0.0.1,DNS:service.example',
  ];
  const keys = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    file,
  ];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...keys, ...names], { stdio: 'ignore' });
  return { certificate: readFileSync(file, 'utf8'), key: readFileSync(key, 'utf8'), file };
}

/** A service that answers every request with no clients, and shows this certificate. */
export async function startTlsService({ certificate, key }: OwnCertificate) {
  const asked: string[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    asked.push(request.headers.authorization ?? '');
    response.setHeader('content-type', 'application/json').end('{"clients":[]}');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { baseUrl: `https://127.0.0.1:${port}`, asked };
}
