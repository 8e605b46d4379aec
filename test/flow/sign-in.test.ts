import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRegistrationFiles } from '../../src/identity/registration-files.ts';
import {
  confirmRefusal,
  forgetNetworkJwt,
  resolveNetworkJwt,
  signIn,
} from '../../src/identity/sign-in.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createServiceClient } from '../../src/service/client.ts';
import {
  type Behaviour,
  inTurn,
  reset,
  sendHtml,
  sendJson,
  sendText,
  startNastyService,
  truncate,
} from './nasty-service.ts';

const code = new Secret('-a_code');
const jwt = new Secret('eyJhbGciOiJub25lIn0.eyJuZXR3b3JrX2lkIjoibiJ9.c2ln');
const nothing = { networkJwt: undefined, authCode: undefined };
const { signal } = new AbortController();
const good = sendJson({ by_jwt: jwt.reveal(), error: null });
const refused = sendJson({ error: { message: 'Invalid code.' } });

async function start(behave: Behaviour) {
  const service = await startNastyService(behave);
  const directory = await mkdtemp(join(tmpdir(), 'tributary-sign-in-'));
  const client = createServiceClient({
    baseUrl: service.baseUrl,
    allowInsecureHttp: false,
    random: () => 0,
  });
  onTestFinished(async () => {
    await client.close();
    await service[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  const store = createRegistrationFiles(directory, () => undefined).networkJwt;
  return { service, client, store, directory, dependencies: { client, store } };
}

describe('an auth code', () => {
  it('buys a network JWT, which is stored for its owner only', async () => {
    const { dependencies, store, service } = await start(good);
    expect((await signIn(dependencies, new Secret(' -a_code\n'), signal)).reveal()).toBe(
      jwt.reveal(),
    );
    expect(service.seen[0]?.body).toEqual({ auth_code: '-a_code' });
    expect((await store.readOrSetAside())?.token?.equals(jwt)).toBe(true);
    expect((await stat(store.path)).mode & 0o777).toBe(0o600);
    expect(await readFile(store.path, 'utf8')).not.toContain('-a_code');
  });

  it.each([
    ['in the answer', refused],
    ['by its status', sendText('Not authorized.', 401)],
  ])('that was refused (%s) is not sent again, also after a restart', async (_, behave) => {
    const { dependencies, service } = await start(behave);
    await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({
      code: 'auth-code-refused',
    });
    for (let restart = 0; restart < 5; restart += 1) {
      const again = resolveNetworkJwt(dependencies, { ...nothing, authCode: code }, signal);
      await expect(again).rejects.toThrow('tributary login');
    }
    expect(service.seen).toHaveLength(1);
  });

  it('that was used is not sent again', async () => {
    const { dependencies, service, store } = await start(good);
    await signIn(dependencies, code, signal);
    await forgetNetworkJwt(store, jwt);
    const again = resolveNetworkJwt(dependencies, { ...nothing, authCode: code }, signal);
    await expect(again).rejects.toMatchObject({ code: 'auth-code-refused' });
    expect(service.seen).toHaveLength(1);
  });

  it.each<[string, Behaviour]>([
    ['service-unreachable', reset],
    ['service-failed', sendText('Error.', 500)],
    ['answer-not-json', sendHtml(200)],
    ['answer-truncated', truncate],
    ['answer-invalid', sendJson({})],
  ])('stays valid after a failure that says nothing about it (%s)', async (failure, behave) => {
    const { dependencies, service } = await start(inTurn(behave, good));
    await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({ code: failure });
    expect(service.seen).toHaveLength(1);
    expect((await signIn(dependencies, code, signal)).equals(jwt)).toBe(true);
  });

  it('sent too often waits five minutes, or as long as the service says', async () => {
    const exceeded = 'User auth attempts exceeded limits.';
    const { dependencies, service } = await start(
      inTurn(sendText(exceeded, 503), sendText(exceeded, 429, { 'retry-after': '700' })),
    );
    await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterSeconds: 300,
    });
    await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterSeconds: 700,
    });
    expect(service.seen).toHaveLength(2);
  });

  it('is not spent where its result could not be stored', async () => {
    const { dependencies, service, directory } = await start(good);
    await rm(directory, { recursive: true });
    await writeFile(directory, 'in the way');
    await expect(signIn(dependencies, code, signal)).rejects.toMatchObject({
      code: 'state-unwritable',
    });
    expect(service.seen).toHaveLength(0);
  });

  it.each(['', ' \n', 'two words', 'x'.repeat(2001)])(
    'of no possible form (%j) is not sent',
    async (text) => {
      const { dependencies, service } = await start(good);
      await expect(signIn(dependencies, new Secret(text), signal)).rejects.toMatchObject({
        code: 'auth-code-refused',
      });
      expect(service.seen).toHaveLength(0);
    },
  );
});

describe('the network JWT to work with', () => {
  const given = new Secret('given.by.owner');

  it('is the stored one before any other', async () => {
    const { dependencies, service } = await start(good);
    await signIn(dependencies, code, signal);
    expect(
      (await resolveNetworkJwt(dependencies, { networkJwt: given, authCode: code }, signal)).equals(
        jwt,
      ),
    ).toBe(true);
    expect(service.seen).toHaveLength(1);
  });

  it('is the one given, stored, before an auth code', async () => {
    const { dependencies, service, store } = await start(good);
    expect(
      (await resolveNetworkJwt(dependencies, { networkJwt: given, authCode: code }, signal)).equals(
        given,
      ),
    ).toBe(true);
    expect((await store.readOrSetAside())?.token?.equals(given)).toBe(true);
    expect(service.seen).toHaveLength(0);
  });

  it('is not one that the service no longer takes; a new one is taken', async () => {
    const { dependencies, store } = await start(good);
    await resolveNetworkJwt(dependencies, { ...nothing, networkJwt: given }, signal);
    await forgetNetworkJwt(store, given);
    const again = resolveNetworkJwt(dependencies, { ...nothing, networkJwt: given }, signal);
    await expect(again).rejects.toMatchObject({ code: 'signed-out' });
    expect(
      (await resolveNetworkJwt(dependencies, { ...nothing, networkJwt: jwt }, signal)).equals(jwt),
    ).toBe(true);
  });

  it('is missing where nothing was given: signed out, with what to do', async () => {
    const { dependencies } = await start(good);
    await expect(resolveNetworkJwt(dependencies, nothing, signal)).rejects.toThrow(
      'tributary login',
    );
  });

  it('of a newer sign-in is not dropped with an older one', async () => {
    const { dependencies, store } = await start(good);
    await signIn(dependencies, code, signal);
    await forgetNetworkJwt(store, given);
    expect((await store.readOrSetAside())?.token?.equals(jwt)).toBe(true);
  });
});

describe('a refusal', () => {
  it.each<[string, Behaviour, boolean]>([
    ['a 401', sendText('Not authorized.', 401), true],
    ['an error that says so', sendJson({ error: { message: 'Not authorized.' } }), true],
    ['a good answer', sendJson({ clients: [] }), false],
    ['a 500', sendText('Error.', 500), false],
    ['a 403', sendText('Forbidden', 403), false],
    ['a page with 401', sendHtml(401), false],
    ['a reset', reset, false],
    ['a 429', sendHtml(429), false],
  ])('depends on a second operation’s answer %s: %j', async (_, behave, isConfirmed) => {
    const { client } = await start(behave);
    expect(await confirmRefusal(client, jwt, signal)).toBe(isConfirmed);
  });

  it('is not decided by an abort', async () => {
    const { client } = await start(good);
    await expect(confirmRefusal(client, jwt, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
