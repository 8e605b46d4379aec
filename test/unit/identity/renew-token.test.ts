import { expect, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { emptyNetworkJwtState } from '../../../src/identity/registration-files.ts';
import { isRenewalDue, renewToken, replaceToken } from '../../../src/identity/renew-token.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { dayMs } from '../../../src/lib/units.ts';
import { type Answers, createDisk, createFakeClient, makeJwt } from './fake-service.ts';

const startMs = Date.UTC(2026, 0, 1);
const day = (days: number) => startMs / 1000 + days * 86_400;
const jwt = (end: number, more: object = {}) =>
  makeJwt({ network_id: 'home', iat: day(0), exp: day(end), ...more });
const own = { client_id: 'kitchen' };
const owners = new Secret(jwt(30));
const devices = new Secret(jwt(30, own));
const notServed = new TributaryError('operation-not-served', '404');
const refused = new TributaryError('service-refused', 'no');
const code = { auth_code: '-code' };
const { signal } = new AbortController();

test.each<[string, Secret, Answers, string | undefined, readonly string[]]>([
  ['a fresh one', devices, { refreshToken: [{ by_jwt: jwt(60, own) }] }, jwt(60, own), []],
  ['a fresh one for its owner', owners, { refreshToken: [{ by_jwt: jwt(60) }] }, jwt(60), []],
  [
    'a code, where nothing is refreshed',
    owners,
    { refreshToken: [notServed], codeCreate: [code], codeLogin: [{ by_jwt: jwt(60) }] },
    jwt(60),
    ['codeCreate', 'codeLogin'],
  ],
  [
    'a code, where an owner’s is not refreshed',
    owners,
    { refreshToken: [refused], codeCreate: [code], codeLogin: [{ by_jwt: jwt(60) }] },
    jwt(60),
    ['codeCreate', 'codeLogin'],
  ],
  ['nothing, for a device’s own', devices, { refreshToken: [refused] }, undefined, []],
  [
    'nothing, where no code is made',
    owners,
    { refreshToken: [refused], codeCreate: [refused] },
    undefined,
    ['codeCreate'],
  ],
  ['nothing better', devices, { refreshToken: [{ by_jwt: jwt(30, own) }] }, undefined, []],
  [
    'one of another network',
    devices,
    { refreshToken: [{ by_jwt: jwt(60, { ...own, network_id: 'away' }) }] },
    undefined,
    [],
  ],
  ['the account’s', devices, { refreshToken: [{ by_jwt: jwt(60) }] }, undefined, []],
])('where the service gives %s, that is taken', async (_, token, answers, given, more) => {
  const service = createFakeClient(answers);
  const renewed = await renewToken(service.client, token, signal);
  expect(renewed?.reveal()).toBe(given);
  expect(service.names()).toEqual(['refreshToken', ...more]);
});

test.each<[string, object, number, boolean]>([
  ['before half of its life', { iat: day(0), exp: day(30) }, 14, false],
  ['after half of its life', { iat: day(0), exp: day(30) }, 16, true],
  ['after its end', { iat: day(0), exp: day(30) }, 31, true],
  ['without an end', { iat: day(0) }, 1000, false],
])('a token is renewed %s', (_, claims, days, isDue) => {
  const at = new Date(startMs + days * dayMs);
  expect(isRenewalDue(new Secret(makeJwt(claims)), at)).toBe(isDue);
});

test.each<[string, object, string]>([
  ['replaces the one before', { token: owners }, 'renewed'],
  [
    'leaves a sign-in that came meanwhile',
    { token: new Secret('typed.just.now') },
    'typed.just.now',
  ],
  ['replaces a device’s own', { token: devices, holder: 'device' }, 'renewed'],
])('a renewed token %s', async (_, state, kept) => {
  const { store } = await createDisk();
  await store.write({ ...emptyNetworkJwtState, ...state });
  const now = new Date(startMs);
  await replaceToken(store, { before: owners, renewed: new Secret('renewed'), now });
  expect((await store.peek())?.token?.reveal()).toBe(kept);
});
