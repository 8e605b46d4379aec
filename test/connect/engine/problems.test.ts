import { describe, expect, test } from 'vitest';
import type { ProblemMessage } from '../../../src/connect/engine/messages.ts';
import { nameFailure, nameStatus, tokenRefused } from '../../../src/connect/engine/name-problem.ts';
import { createProblems } from '../../../src/connect/engine/problems.ts';

const fail = (code: string, message = 'it failed') => Object.assign(new Error(message), { code });

describe('a failure in words', () => {
  test.each([
    ['ECONNREFUSED', 'platform-unreachable'],
    ['ENOTFOUND', 'platform-unreachable'],
    ['ECONNRESET', 'platform-unreachable'],
    ['CERT_HAS_EXPIRED', 'tls-refused'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls-refused'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls-refused'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls-refused'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls-refused'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls-refused'],
    ['EPROTO', 'tls-refused'],
  ])('%s is %s', (code, problem) => {
    expect(nameFailure(fail(code), 'wss://a.example')).toMatchObject({ code: problem });
  });

  test('says where it was, and has a code where there is no text', () => {
    expect(nameFailure(fail('ETIMEDOUT', ''), 'wss://a.example').message).toBe(
      'wss://a.example: ETIMEDOUT; it is tried again',
    );
    expect(nameFailure(new Error(''), 'x').message).toBe('x: no connection; it is tried again');
  });

  test.each([
    [200, undefined, undefined],
    [401, 'token-refused', /a new one is needed/],
    [403, 'platform-refused', /^here: it refuses the request \(HTTP 403\); it is tried again$/],
    [404, 'platform-refused', /^here: it refuses the request \(HTTP 404\); it is tried again$/],
    [426, 'version-refused', /^here: .*this version of the program \(HTTP 426\); update it$/],
    [500, 'platform-refused', /HTTP 500/],
    [503, 'platform-refused', /^here: it is not ready \(HTTP 503\); it is tried again$/],
  ] as const)('HTTP %i is %s', (status, code, message) => {
    const problem = nameStatus(status, 'here');
    expect(problem?.code).toBe(code);
    if (message !== undefined) expect(problem?.message).toMatch(message);
  });
});

test('no status of the platform is without a reason, in whichever place it comes', () => {
  for (const place of ['socket', 'control'] as const)
    for (let status = 400; status < 600; status++) {
      const told: string[] = [];
      const problems = createProblems({
        tell: ({ code }: ProblemMessage) => told.push(code),
        onChange: () => undefined,
      });
      problems.set(place, nameStatus(status, 'here'));
      // What refuses the token has a place of its own, which is set where that is looked into.
      expect([place, status, told.length]).toEqual([place, status, status === 401 ? 0 : 1]);
    }
});

test('of several problems the one is told that explains most, once each time it changes', () => {
  const told: string[] = [];
  let changes = 0;
  const problems = createProblems({
    tell: ({ code }: ProblemMessage) => told.push(code),
    onChange: () => changes++,
  });
  expect(problems.current()).toBeNull();
  problems.set('control', nameFailure(fail('ENOTFOUND'), 'x'));
  problems.set('control', nameFailure(fail('ECONNREFUSED'), 'x'));
  problems.set('socket', nameFailure(fail('CERT_HAS_EXPIRED'), 'x'));
  problems.set('token', tokenRefused);
  problems.set('socket', undefined);
  expect(problems.current()).toBe('token-refused');
  problems.set('token', undefined);
  problems.set('control', undefined);
  expect(problems.current()).toBeNull();
  expect(told).toEqual([
    'platform-unreachable',
    'tls-refused',
    'token-refused',
    'platform-unreachable',
  ]);
  expect(changes).toBe(5);
});

test('a refused token has a place of its own: another answer does not clear it', () => {
  const problems = createProblems({ tell: () => undefined, onChange: () => undefined });
  problems.set('socket', tokenRefused);
  expect(problems.current()).toBeNull();
  problems.set('token', tokenRefused);
  problems.set('socket', undefined);
  problems.set('control', undefined);
  expect(problems.current()).toBe('token-refused');
});
