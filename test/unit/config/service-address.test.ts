import { describe, expect, test } from 'vitest';
import { linesOf, load } from './config-fixture.ts';

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
    const { warnings } = await load('service: { base_url: "http://service.example", allow_insecure_http: true }');
    expect(warnings).toEqual([
      'service.base_url: http://service.example is spoken to without TLS, so tokens can be read on the way',
    ]);
  });

  test('permission for http beside https is fine', async () => {
    const { warnings } = await load('service: { base_url: "https://service.example", allow_insecure_http: true }');
    expect(warnings).toEqual([]);
  });
});
