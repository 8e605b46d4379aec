import { readFile, stat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, TributaryError } from '../../../src/errors/codes.ts';
import {
  emptyNetworkJwtState,
  type NetworkJwtState,
} from '../../../src/identity/registration-files.ts';
import {
  confirmRefusal,
  forgetNetworkJwt,
  isRefusedForGood,
  remember,
  resolveNetworkJwt,
  signIn,
  toFingerprint,
} from '../../../src/identity/sign-in.ts';
import { Secret } from '../../../src/lib/secret.ts';
import {
  type Answers,
  createDisk,
  createFakeClient,
  makeJwt,
  writeAnything,
} from './fake-service.ts';

const code = new Secret('a-code');
const token = new Secret('bought.by.code');
const given = new Secret('given.by.owner');
const bought = { codeLogin: [{ by_jwt: token.reveal() }] };
const { signal } = new AbortController();

async function createSignIn(answers: Answers, state: Partial<NetworkJwtState> = {}) {
  const disk = await createDisk();
  const service = createFakeClient(answers);
  await disk.store.write({ ...emptyNetworkJwtState, ...state });
  return { ...disk, ...service, dependencies: { client: service.client, store: disk.store } };
}

describe('signing in', () => {
  test('buys a token with the code, without white space and without any token, and spends it', async () => {
    const { dependencies, seen, store } = await createSignIn(bought);
    expect((await signIn(dependencies, new Secret(' a-code\n'), signal)).reveal()).toBe(
      token.reveal(),
    );
    expect(seen).toEqual([{ name: 'codeLogin', request: { authCode: code }, token: undefined }]);
    expect(await store.peek()).toEqual({
      holder: 'owner',
      token,
      spentCodes: [toFingerprint(code)],
      refusedTokens: [],
    });
  });

  test('takes the place of the token before, and keeps what else is known', async () => {
    const known = { token: given, spentCodes: ['0'.repeat(64)], refusedTokens: ['1'.repeat(64)] };
    const { dependencies, store } = await createSignIn(bought, known);
    await signIn(dependencies, code, signal);
    expect(await store.peek()).toEqual({
      holder: 'owner',
      token,
      spentCodes: ['0'.repeat(64), toFingerprint(code)],
      refusedTokens: ['1'.repeat(64)],
    });
  });

  test('without a file writes one before it spends the code', async () => {
    const { store, files: _ } = await createDisk();
    const states: unknown[] = [];
    const client = {
      call: (async () => {
        states.push(await store.peek());
        return { byJwt: token };
      }) as never,
    };
    await signIn({ client, store }, code, signal);
    expect(states).toEqual([emptyNetworkJwtState]);
  });

  test.each(['', ' \n', 'two words', 'two\twords', 'x'.repeat(2001)])(
    'with %j sends nothing and writes nothing',
    async (text) => {
      const { dependencies, names, path } = await createSignIn({});
      const before = await stat(path('network-jwt'));
      await expect(signIn(dependencies, new Secret(text), signal)).rejects.toMatchObject({
        code: 'auth-code-refused',
        message: 'signing in: the auth code is empty or has a space in it',
      });
      expect([names(), (await stat(path('network-jwt'))).ino]).toEqual([[], before.ino]);
    },
  );

  test.each(['x', 'x'.repeat(2000)])('takes a code of any usual length', async (text) => {
    const { dependencies } = await createSignIn(bought);
    expect(await signIn(dependencies, new Secret(text), signal)).toEqual(token);
  });

  test('does not send a spent code, with other white space around it neither', async () => {
    const { dependencies, names } = await createSignIn({}, { spentCodes: [toFingerprint(code)] });
    await expect(signIn(dependencies, new Secret('a-code '), signal)).rejects.toMatchObject({
      code: 'auth-code-refused',
      message:
        'signing in: this auth code was already used or refused; make a new one and give it to `tributary login`',
    });
    expect(names()).toEqual([]);
  });

  test('remembers a refused code, and says what to do', async () => {
    const cause = new TributaryError('auth-code-refused', 'the service refused');
    const { dependencies, store } = await createSignIn({ codeLogin: [cause] }, { token: given });
    await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({
      code: 'auth-code-refused',
      message: 'signing in: the service refused; make a new one and give it to `tributary login`',
      cause,
    });
    expect(await store.peek()).toEqual({
      holder: 'owner',
      token: given,
      spentCodes: [toFingerprint(code)],
      refusedTokens: [],
    });
  });

  test.each([
    [undefined, 300],
    [700, 700],
    [0, 0],
  ])(
    'that comes too often (%s) waits %i seconds, and the code stays good',
    async (retryAfterSeconds, waits) => {
      const cause = new TributaryError('rate-limited', 'too often', { retryAfterSeconds });
      const { dependencies, store } = await createSignIn({ codeLogin: [cause] });
      await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({
        code: 'rate-limited',
        message: 'signing in: too often',
        retryAfterSeconds: waits,
        cause,
      });
      expect(await store.peek()).toEqual(emptyNetworkJwtState);
    },
  );

  test('passes on any other failure, and the code stays good', async () => {
    const error = new TributaryError('service-unreachable', 'x');
    const { dependencies, store } = await createSignIn({ codeLogin: [error] });
    await expect(signIn(dependencies, code, signal)).rejects.toBe(error);
    expect(await store.peek()).toEqual(emptyNetworkJwtState);
  });

  test('with an answer that holds nothing fails, and the code stays good', async () => {
    const { dependencies, store } = await createSignIn({ codeLogin: [{}] });
    await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({
      code: 'answer-invalid',
      message: 'signing in: the answer holds neither a network JWT nor an error',
    });
    expect(await store.peek()).toEqual(emptyNetworkJwtState);
  });
});

describe('the token to work with', () => {
  const refused = { refusedTokens: [toFingerprint(given)] };

  test.each<
    [
      string,
      Partial<NetworkJwtState>,
      { readonly networkJwt?: Secret; readonly authCode?: Secret },
      Secret,
      readonly string[],
    ]
  >([
    ['the stored one', { token }, { networkJwt: given, authCode: code }, token, []],
    ['the given one', {}, { networkJwt: given, authCode: code }, given, []],
    [
      'the given one without its white space',
      {},
      { networkJwt: new Secret(' given.by.owner\n') },
      given,
      [],
    ],
    ['what the code buys', {}, { authCode: code }, token, ['codeLogin']],
    [
      'what the code buys, where the given one is refused',
      refused,
      { networkJwt: given, authCode: code },
      token,
      ['codeLogin'],
    ],
    [
      'a new given one, where another was refused',
      refused,
      { networkJwt: new Secret('a.new.one') },
      new Secret('a.new.one'),
      [],
    ],
  ])('is %s, and is stored', async (_, state, credentials, expected, asked) => {
    const { dependencies, names, store } = await createSignIn(bought, state);
    const all = { networkJwt: undefined, authCode: undefined, ...credentials };
    expect((await resolveNetworkJwt(dependencies, all, signal)).reveal()).toBe(expected.reveal());
    expect((await store.peek())?.token?.reveal()).toBe(expected.reveal());
    expect(names()).toEqual(asked);
  });

  test.each<[string, Partial<NetworkJwtState>, Secret | undefined, string]>([
    ['nothing is given', {}, undefined, 'this device is not signed in'],
    ['the given one is refused', refused, given, 'the network JWT given is no longer accepted'],
    [
      'the given one is refused, whatever is around it',
      refused,
      new Secret(' given.by.owner '),
      'the network JWT given is no longer accepted',
    ],
  ])('is missing where %s', async (_, state, networkJwt, why) => {
    const { dependencies, names } = await createSignIn({}, state);
    await expect(
      resolveNetworkJwt(dependencies, { networkJwt, authCode: undefined }, signal),
    ).rejects.toMatchObject({
      code: 'signed-out',
      message: `${why}: sign in with \`tributary login\` and a new auth code`,
    });
    expect(names()).toEqual([]);
  });

  test('is asked for without a file too', async () => {
    const { store } = await createDisk();
    const { client } = createFakeClient(bought);
    expect(
      await resolveNetworkJwt(
        { client, store },
        { networkJwt: given, authCode: undefined },
        signal,
      ),
    ).toEqual(given);
  });
});

describe('what is remembered of codes and tokens', () => {
  const fingerprint = (number: number) => number.toString(16).padStart(64, '0');

  test('is limited to the newest fifty, so that the file stays small', async () => {
    const many = Array.from({ length: 200 }, (_, index) => fingerprint(index)).reduce(
      remember,
      [] as readonly string[],
    );
    expect(many).toEqual(Array.from({ length: 50 }, (_, index) => fingerprint(150 + index)));
    const { dependencies, store } = await createSignIn(bought, {
      spentCodes: many,
      refusedTokens: many,
    });
    await signIn(dependencies, code, signal);
    await forgetNetworkJwt(store, token);
    const state = await store.peek();
    expect([state?.spentCodes.length, state?.refusedTokens.length]).toEqual([50, 50]);
    expect(state?.spentCodes.at(-1)).toBe(toFingerprint(code));
    expect(state?.refusedTokens.at(-1)).toBe(toFingerprint(token));
    expect(state?.spentCodes[0]).toBe(fingerprint(151));
  });

  test('has each once, and the newest last', () => {
    expect(remember([fingerprint(1), fingerprint(2)], fingerprint(1))).toEqual([
      fingerprint(2),
      fingerprint(1),
    ]);
    expect(remember([], fingerprint(1))).toEqual([fingerprint(1)]);
  });

  test('consists of fingerprints, which tell nothing about the secret', () => {
    expect(toFingerprint(new Secret('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  test('comes back from the disk, the token too, and a signed-out one has none', async () => {
    const { store, path } = await createDisk();
    const known = { spentCodes: [fingerprint(1)], refusedTokens: [fingerprint(2)] };
    const state = { ...emptyNetworkJwtState, token, ...known };
    await store.write(state);
    expect((await store.peek())?.token?.reveal()).toBe(token.reveal());
    expect(await readFile(path('network-jwt'), 'utf8')).toContain(token.reveal());
    await store.write({ ...state, token: undefined });
    expect(await store.peek()).toEqual({ ...state, token: undefined });
  });

  test.each<[string, Partial<NetworkJwtState>]>([
    ['an empty token', { token: new Secret('') }],
    ['a short fingerprint', { spentCodes: ['0'.repeat(63)] }],
    ['a long fingerprint', { spentCodes: ['0'.repeat(65)] }],
    ['a fingerprint of other letters', { refusedTokens: ['g'.repeat(64)] }],
  ])('counts as broken with %s', async (_, state) => {
    const { store, setAside, path } = await createDisk();
    await writeAnything(store as never, { ...emptyNetworkJwtState, ...state });
    expect(await store.readOrSetAside()).toBeUndefined();
    expect(setAside).toEqual([path('network-jwt')]);
  });
});

describe('signing out', () => {
  test('drops the refused token, and never takes it again', async () => {
    const { store } = await createSignIn({}, { token, spentCodes: ['0'.repeat(64)] });
    await forgetNetworkJwt(store, token);
    expect(await store.peek()).toEqual({
      holder: 'owner',
      token: undefined,
      spentCodes: ['0'.repeat(64)],
      refusedTokens: [toFingerprint(token)],
    });
  });

  test('leaves a newer token, and works without a file', async () => {
    const { store } = await createSignIn({}, { token });
    await forgetNetworkJwt(store, given);
    expect((await store.peek())?.token?.reveal()).toBe(token.reveal());
    const fresh = await createDisk();
    await forgetNetworkJwt(fresh.store, given);
    expect(await fresh.store.peek()).toEqual({
      ...emptyNetworkJwtState,
      refusedTokens: [toFingerprint(given)],
    });
  });

  const error = (own: ErrorCode) => new TributaryError(own, 'x');

  test.each<[string, object | Error, boolean]>([
    ['refuses it as well', error('not-authorized'), true],
    ['answers', { clients: [] }, false],
    ['refuses something else', error('service-refused'), false],
    ['cannot be reached', error('service-unreachable'), false],
    ['fails', error('service-failed'), false],
    ['fails in another way', new Error('x'), false],
  ])('is confirmed where a second operation %s', async (_, answer, isConfirmed) => {
    const { client, seen } = createFakeClient({ clients: [answer] });
    expect(await confirmRefusal(client, token, signal)).toBe(isConfirmed);
    expect(seen).toEqual([{ name: 'clients', request: undefined, token: token.reveal() }]);
  });

  test('is not decided by an abort', async () => {
    const { client } = createFakeClient({ clients: [{ clients: [] }] });
    await expect(confirmRefusal(client, token, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  const day = 86_400_000;

  test.each<[string, number | undefined, number, boolean]>([
    ['is good still, for seconds', day, 12_000, false],
    ['is good still, for nearly a day', day, day - 1, false],
    ['is good still, for a day', day, day, true],
    ['has run out, at once', -1, 0, true],
    ['runs out now', 0, 0, true],
    ['has no end, for hours', undefined, day - 1, false],
    ['has no end, for a day', undefined, day, true],
  ])('is for good where the token %s', (_, leftMs, refusedMs, isForGood) => {
    const now = new Date('2026-05-01T00:00:00Z');
    const exp = leftMs === undefined ? undefined : (now.getTime() + leftMs) / 1000;
    expect(isRefusedForGood(new Secret(makeJwt({ exp })), refusedMs, now)).toBe(isForGood);
  });

  test('is not for good because of a clock of this device', () => {
    const expired = new Secret(makeJwt({ exp: 1 }));
    expect(isRefusedForGood(expired, 4_000, undefined)).toBe(false);
  });
});
