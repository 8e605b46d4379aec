import { describe, expect, it } from 'vitest';
import { isLoopback, joinOperationPath, parseServiceUrl } from '../../src/service/url.ts';

describe('the base URL', () => {
  it.each([
    ['https://api.example', false, undefined],
    ['https://api.example/v1/', false, undefined],
    ['http://127.0.0.1:8080', false, undefined],
    ['http://127.9.9.9', false, undefined],
    ['http://localhost:1', false, undefined],
    ['http://[::1]:1', false, undefined],
    ['http://api.example', true, undefined],
    ['http://api.example', false, 'insecure-url'],
    ['http://127.0.0.1.example', false, 'insecure-url'],
    ['http://localhost.example', false, 'insecure-url'],
    ['http://10.0.0.1', false, 'insecure-url'],
    ['http://0.0.0.0', false, 'insecure-url'],
    ['http://[fe80::1]', false, 'insecure-url'],
    ['ftp://api.example', true, 'configuration-invalid'],
    ['api.example', true, 'configuration-invalid'],
    ['https://user:hunter2@api.example', true, 'configuration-invalid'],
    ['https://api.example/?key=hunter2', true, 'configuration-invalid'],
  ])('%s (insecure allowed: %j) gives %j', (baseUrl, allowInsecureHttp, code) => {
    if (code === undefined) {
      expect(parseServiceUrl({ baseUrl, allowInsecureHttp }).href).toContain('://');
      return;
    }
    expect(() => parseServiceUrl({ baseUrl, allowInsecureHttp })).toThrow(
      expect.objectContaining({ code }),
    );
    expect(() => parseServiceUrl({ baseUrl, allowInsecureHttp })).not.toThrow(/hunter2/);
  });

  it('may have a path, which comes before that of an operation', () => {
    expect(joinOperationPath(new URL('https://a.example'), '/x/y')).toBe('/x/y');
    expect(joinOperationPath(new URL('https://a.example/v1//'), '/x/y')).toBe('/v1/x/y');
  });

  it('is loopback by its whole name only', () => {
    expect(['127.0.0.1', 'localhost', '[::1]', '::1'].every(isLoopback)).toBe(true);
    expect(
      ['127.0.0.1.example', 'alocalhost', '::2', '128.0.0.1', '127.evil'].some(isLoopback),
    ).toBe(false);
  });
});
