import { describe, expect, test } from 'vitest';
import { Secret } from '../../../../src/lib/secret.ts';
import type { StatusRequest } from '../../../../src/status/answers.ts';
import { createAttempts, createGate } from '../../../../src/status/page/gate.ts';

const token = new Secret('a-token-of-twenty-four-letters');
const good = {
  host: '127.0.0.1:9469',
  origin: 'http://127.0.0.1:9469',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
  authorization: `Bearer ${token.reveal()}`,
};

function createRequest(headers: StatusRequest['headers'], address = '192.0.2.1'): StatusRequest {
  return {
    method: 'POST',
    path: '/provide',
    query: new URLSearchParams(),
    headers,
    address,
    body: '{"mode":null}',
  };
}

describe('an order to the page', () => {
  test.each([
    ['from the page itself', good],
    [
      'from a program that says nothing of itself',
      { ...good, origin: undefined, 'sec-fetch-site': undefined },
    ],
    ['through a proxy that adds TLS', { ...good, origin: 'https://127.0.0.1:9469' }],
  ])('%s is let through with the token', (_claim, headers) => {
    expect(createGate(token, () => 0)(createRequest(headers))).toBeUndefined();
  });

  test.each([
    ['without a token', { authorization: undefined }, 401],
    ['with another token', { authorization: 'Bearer another-token-of-letters' }, 401],
    [
      'with the beginning of the token',
      { authorization: `Bearer ${token.reveal().slice(0, -1)}` },
      401,
    ],
    ['with the token in another scheme', { authorization: `Basic ${token.reveal()}` }, 401],
    ['from another site', { origin: 'http://evil.example' }, 403],
    ['from another port of the same device', { origin: 'http://127.0.0.1:8080' }, 403],
    ['from a sandboxed frame', { origin: 'null' }, 403],
    ['that the browser calls foreign', { 'sec-fetch-site': 'cross-site' }, 403],
    ['that the browser calls a neighbour', { 'sec-fetch-site': 'same-site' }, 403],
    ['as a form of another page would send it', { 'content-type': 'text/plain' }, 415],
  ])('%s is refused', (_claim, change, status) => {
    expect(createGate(token, () => 0)(createRequest({ ...good, ...change }))?.status).toBe(status);
  });

  test('finds nothing where no token is configured', () => {
    expect(createGate(undefined, () => 0)(createRequest(good))?.status).toBe(404);
  });

  test('with a wrong token waits after ten in a minute of one caller; the right token never does', () => {
    let nowMs = 0;
    const gate = createGate(token, () => nowMs);
    const wrong = { ...good, authorization: 'Bearer no' };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      nowMs += 1000;
      expect(gate(createRequest(wrong))?.status).toBe(401);
    }
    expect(gate(createRequest(wrong))).toMatchObject({
      status: 429,
      headers: { 'Retry-After': '51' },
    });
    expect(gate(createRequest(wrong, '192.0.2.2'))?.status).toBe(401);
    for (let order = 0; order < 30; order += 1)
      expect(gate(createRequest(good)), 'the owner').toBeUndefined();
    nowMs += 51_000;
    expect(gate(createRequest(wrong))?.status).toBe(401);
  });

  test('is counted by the /64 of an IPv6 address, because one neighbour has all of its addresses', () => {
    const gate = createGate(token, () => 0);
    const guess = (address: string) =>
      gate(createRequest({ ...good, authorization: 'Bearer no' }, address))?.status;
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(guess(`2001:db8::${attempt}`)).toBe(401);
    expect(guess('2001:db8::ffff:1')).toBe(429);
    expect(guess('2001:db8:0:1::1')).toBe(401);
  });
});

test('many callers are remembered in bounded memory, the latest of them', () => {
  const attempts = createAttempts(1, 60_000);
  for (let caller = 0; caller < 1000; caller += 1) attempts(String(caller), 0);
  expect(attempts('999', 1)).toBeGreaterThan(0);
  expect(attempts('0', 1)).toBe(0);
});
