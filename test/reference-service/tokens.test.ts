import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createTokens } from '../../src/reference-service/tokens.ts';

const network = { networkId: 'n', networkName: 'home', userId: 'u', kind: 'permanent' } as const;
const key = new Secret(Buffer.alloc(32, 1).toString('base64'));
const day = 86_400_000;
const startMs = 1_800_000_000_000;
const tokens = createTokens(key, () => startMs);

test('a client token carries the claims that production ones carry', async () => {
  const token = await tokens.signClient(network, { clientId: 'c', deviceId: 'd' });
  expect(decodeJwt(token)).toEqual({
    network_id: 'n',
    network_name: 'home',
    user_id: 'u',
    device_id: 'd',
    client_id: 'c',
    iss: 'tributary-reference-service',
    aud: 'tributary-clients',
    iat: startMs / 1000,
    nbf: startMs / 1000,
    exp: (startMs + 30 * day) / 1000,
  });
});

test("a guest's tokens say so, and others do not", async () => {
  const guest = { ...network, kind: 'guest' } as const;
  const device = { clientId: 'c', deviceId: 'd' };
  const signed = [
    tokens.signNetwork(guest),
    tokens.signClient(guest, device),
    tokens.signNetwork(network),
  ];
  const claims = (await Promise.all(signed)).map((token) => decodeJwt(token).guest_mode);
  expect(claims).toEqual([true, true, undefined]);
  expect(await tokens.read(await tokens.signNetwork(guest))).toEqual({ networkId: 'n' });
  expect(await tokens.read(await tokens.signClient(guest, device))).toEqual({
    networkId: 'n',
    clientId: 'c',
  });
});

describe('a network token is worth', () => {
  test.each([
    ['its network for 30 days', 30 * day - 1000, 'n'],
    ['nothing after 30 days', 30 * day + 1000, undefined],
    ['nothing before it was made', -5000, undefined],
  ])('%s', async (_, laterMs, networkId) => {
    const token = await tokens.signNetwork(network);
    expect(await createTokens(key, () => startMs + laterMs).read(token)).toEqual(
      networkId && { networkId },
    );
  });
});

test('a service that is told how long tokens are good signs no others', async () => {
  const short = createTokens(key, () => startMs, 60);
  const { exp } = decodeJwt(await short.signNetwork(network));
  expect(exp).toBe(startMs / 1000 + 60);
  const later = (seconds: number) => createTokens(key, () => startMs + seconds * 1000);
  const token = await short.signNetwork(network);
  expect(await later(59).read(token)).toEqual({ networkId: 'n' });
  expect(await later(61).read(token)).toBeUndefined();
});

test('a token that was read before ends in time all the same', async () => {
  let nowMs = startMs;
  const { signNetwork, read } = createTokens(key, () => nowMs);
  const token = await signNetwork(network);
  const reads: unknown[] = [await read(token), await read(token)];
  nowMs += 30 * day;
  expect([...reads, await read(token)]).toEqual([
    { networkId: 'n' },
    { networkId: 'n' },
    undefined,
  ]);
});

test.each([
  [
    'a token of another key',
    () => createTokens(new Secret('AAAA'.repeat(11)), () => startMs).signNetwork(network),
  ],
  ['a token of another issuer', () => forge('HS256', 'somebody')],
  ['a token with another algorithm', () => forge('HS512', 'tributary-reference-service')],
  [
    'a token without a signature',
    async () => (await tokens.signNetwork(network)).replace(/[^.]*$/, ''),
  ],
  ['any text', async () => 'not-a-token'],
])('%s is worth nothing', async (_, make) => {
  expect(await tokens.read(await make())).toBeUndefined();
});

function forge(algorithm: string, issuer: string): Promise<string> {
  return new SignJWT({ network_id: 'n' })
    .setProtectedHeader({ alg: algorithm })
    .setIssuer(issuer)
    .setAudience('tributary-clients')
    .setExpirationTime(startMs / 1000 + 60)
    .sign(Buffer.concat([Buffer.alloc(32, 1)]));
}
