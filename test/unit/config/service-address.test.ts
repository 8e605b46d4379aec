import { describe, expect, test } from 'vitest';
import { linesOf, load, makeDirectory, makeFile } from './config-fixture.ts';

describe('the address of the service', () => {
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ['https', 'https://service.example', undefined],
    ['http to this machine by address', 'http://127.0.0.1:8080', undefined],
    ['http to this machine by name', 'http://localhost:8080', undefined],
    ['http to this machine, IPv6', 'http://[::1]:8080', undefined],
    [
      'http to elsewhere',
      'http://service.example',
      'found "http://service.example"; allowed: an https:// address, or service.allow_insecure_http: true beside it (tokens can then be read on the way)',
    ],
    [
      'another protocol',
      'ftp://service.example',
      'found "ftp://service.example"; allowed: an https:// address, such as "https://service.example/api"',
    ],
    [
      'a query',
      'https://service.example/?a=1',
      'found "https://service.example/?a=1"; allowed: an address without query and fragment',
    ],
    [
      'a fragment',
      'https://service.example/#a',
      'found "https://service.example/#a"; allowed: an address without query and fragment',
    ],
  ];
  test.each(rows)('%s', async (_claim, url, expected) => {
    const lines = await linesOf(`service: { base_url: "${url}" }`);
    expect(lines).toEqual(expected === undefined ? [] : [`FILE:1: service.base_url: ${expected}`]);
  });

  test('loses its trailing slashes', async () => {
    const { config } = await load('service: { base_url: "https://service.example/api//" }');
    expect(config.service.base_url).toBe('https://service.example/api');
  });

  test('a password in it is refused and not shown', async () => {
    const lines = await linesOf('service: { base_url: "https://owner:hunter2@service.example" }');
    expect(lines).toEqual([
      'FILE:1: service.base_url: found "https://[secret]@service.example"; allowed: an address without user and password',
    ]);
  });

  test('http to elsewhere is allowed aloud, with a warning', async () => {
    const { warnings } = await load(
      'service: { base_url: "http://service.example", allow_insecure_http: true }',
    );
    expect(warnings).toEqual([
      'service.base_url: http://service.example is used without TLS, so tokens can be read on the way',
    ]);
  });

  test('permission for http beside https is fine', async () => {
    const { warnings } = await load(
      'service: { base_url: "https://service.example", allow_insecure_http: true }',
    );
    expect(warnings).toEqual([]);
  });
});

describe('the certificates that vouch for the service', () => {
  const allowed = 'allowed: a file with at least one certificate in PEM form';
  const wrap = (text: string) =>
    `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
  const rows: readonly (readonly [string, () => string, string])[] = [
    ['are a file that is there', () => '/no/such/authority.pem', 'no such file'],
    [
      'are more than a key',
      () => makeFile('-----BEGIN PRIVATE KEY-----\nMC4=\n'),
      'it holds no certificate',
    ],
    ['are whole', () => makeFile(wrap('MIIB')), 'certificate 1 in it cannot be read'],
    ['are a file', () => makeDirectory(), 'EISDIR: illegal operation on a directory, read'],
    ['are no disk', () => makeFile('x'.repeat(1024 * 1024 + 1)), 'it is larger than 1024 KiB'],
  ];
  test.each(rows)('%s, which is said with the other errors', async (_claim, make, why) => {
    const path = make();
    const lines = await linesOf(
      `service: { base_url: "ftp://service.example", ca_file: "${path}" }`,
    );
    const shown = path.length > 60 ? `${path.slice(0, 60)}…` : path;
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(`FILE:1: service.ca_file: found "${shown}"; ${allowed}; ${why}`);
  });

  test('are all the certificates of the file, and nothing else in it', async () => {
    const { rootCertificates } = await import('node:tls');
    const [first = '', second = ''] = rootCertificates;
    const path = makeFile(
      `of the office\n${first}\n-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n${second}`,
    );
    const { service } = await load(
      `service: { base_url: "https://service.example", ca_file: "${path}" }`,
    );
    expect(service.certificateAuthority?.()).toBe(`${first}\n${second}\n`);
  });
});
