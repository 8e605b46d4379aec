import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createSections } from '../../src/agent/create-sections.ts';
import { createWakeups } from '../../src/agent/run-loop.ts';
import { openState } from '../../src/agent/state.ts';
import { createTalk } from '../../src/agent/talk/create-talk.ts';
import { createServiceLoop } from '../../src/agent/talk/service-loop.ts';
import { createServiceSession } from '../../src/agent/talk/service-session.ts';
import { configSchema } from '../../src/config/schema.ts';
import { TributaryError } from '../../src/errors/codes.ts';
import {
  createRegistrationFiles,
  emptyNetworkJwtState,
} from '../../src/identity/registration-files.ts';
import { signIn } from '../../src/identity/sign-in.ts';
import { systemNames } from '../../src/lib/connect-in-turn.ts';
import { Secret } from '../../src/lib/secret.ts';
import { dayMs } from '../../src/lib/units.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { readClaims } from '../../src/service/jwt.ts';
import { type ProfileName, profileNames } from '../../src/service/profiles.ts';
import { sendJson, startNastyService } from './nasty-service.ts';
import { call } from './reference-caller.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

const keepAliveSeconds = 6 * 3600;
const quiet = { info: () => undefined, warn: () => undefined, debug: () => undefined };

/** How a service differs from the real one in a call. */
type Twist = (
  call: { readonly name: string; readonly token: Secret | undefined },
  ask: () => Promise<object>,
) => Promise<object>;

/** A device that talks with a real service, whose clock and its own are this test's. */
async function start(profile: ProfileName, twist: Twist = (_, ask) => ask()) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-signed-in-'));
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const service = await startReferenceService({
    directory: join(directory, 'service'),
    profile,
    keepaliveSeconds: keepAliveSeconds,
    now: () => clock.ms,
    warn: () => undefined,
  });
  const { baseUrl, authCode } = service;
  const plain = createServiceClient({ baseUrl, allowInsecureHttp: true, tries: 1 });
  const called = new Set<string>();
  const call = async (...[name, request, options]: Parameters<typeof plain.call>) => {
    const token = options !== undefined && 'token' in options ? options.token : undefined;
    const answer = await twist({ name, token }, () => plain.call(name, request, options));
    called.add(name);
    return answer;
  };
  const client = { ...plain, call: call as typeof plain.call };
  onTestFinished(async () => {
    await client.close();
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  const state = join(directory, 'state');
  await mkdir(state, { mode: 0o700 });
  const store = createRegistrationFiles(state, () => undefined).networkJwt;
  const config = configSchema.parse({
    service: { base_url: baseUrl, renew_seconds_default: keepAliveSeconds, profile },
  });
  /** A process that begins with what the disk holds. */
  const boot = async (code: string | undefined = authCode) => {
    const sections = createSections(config, new Date(clock.ms));
    sections.contact.serviceTime = { ms: clock.ms, heardAtMs: performance.now() };
    const credentials = { authCode: code && new Secret(code), networkJwt: undefined };
    const session = createServiceSession({
      client,
      state: sections as never,
      facts: () => ({ sources: [] }) as never,
      credentials: credentials as never,
      machine: {},
      directory: state,
      onSetAside: () => undefined,
      log: quiet as never,
      now: () => new Date(clock.ms),
    });
    const loop = createServiceLoop({
      state: sections,
      service: sections.service,
      session,
      wakeups: createWakeups(),
      now: () => new Date(clock.ms),
      random: () => 0.5,
    });
    await loop.restore();
    return { ...sections.service, service: sections.service, loop };
  };
  const { signal } = new AbortController();
  /**
   * Talks for so many days, twice a week, which makes a year short here; resolves with the
   * problems that were seen.
   */
  const live = async ({ loop, service: seen }: Awaited<ReturnType<typeof boot>>, days: number) => {
    const problems = new Set<string>();
    for (const endMs = clock.ms + days * dayMs; clock.ms < endMs; ) {
      const waitMs = Math.max(await loop.tick(signal), 3.5 * dayMs);
      clock.ms += waitMs;
      vi.advanceTimersByTime(waitMs);
      const { problem, signInProblem, registrationProblem, stateProblem } = seen;
      for (const one of [problem, signInProblem, registrationProblem, stateProblem])
        if (one !== undefined) problems.add(one.code);
    }
    return [...problems];
  };
  return { clock, service, client, store, boot, live, signal, called };
}

test.each(profileNames)(
  'a device is signed in for a year of tokens of 30 days, restarted now and then (%s)',
  async (profile) => {
    const { clock, store, boot, live } = await start(profile);
    const startedMs = clock.ms;
    const clients = new Set<string | undefined>();
    for (const days of [1, 20, 29, 100, 210, 20]) {
      const device = await boot();
      expect([days, await live(device, days)]).toEqual([days, []]);
      clients.add(device.service.registration?.clientId);
    }
    expect(clock.ms - startedMs).toBeGreaterThan(365 * dayMs);
    expect([...clients]).toHaveLength(1);
    const kept = await store.peek();
    expect(kept?.holder).toBe('device');
    expect(kept?.token && readClaims(kept.token)?.clientId).toBe([...clients][0]);
  },
);

const isClients = (token: Secret | undefined) =>
  token !== undefined && readClaims(token)?.clientId !== undefined;

test('by a service that takes only its owner’s token, a device stays signed in by codes that it makes', async () => {
  const { clock, store, boot, live, called } = await start('documented', ({ name, token }, ask) => {
    if (name === 'authClient' && isClients(token))
      throw new TributaryError('service-refused', 'this needs the token of a network');
    return ask();
  });
  const startedMs = clock.ms;
  for (const days of [20, 150, 200]) {
    const device = await boot();
    expect([days, await live(device, days)]).toEqual([days, []]);
    expect(device.service.signIn?.ending).toBeUndefined();
  }
  expect(clock.ms - startedMs).toBeGreaterThan(365 * dayMs);
  expect((await store.peek())?.holder).toBe('owner');
  expect([...called]).toEqual(expect.arrayContaining(['codeCreate', 'codeLogin']));
});

test('by a service whose keep-alives renew no token, it is refreshed before half of its life', async () => {
  const { clock, store, boot, live, called } = await start(
    'production',
    async ({ name, token }, ask) => {
      const answer = await ask();
      if (name !== 'authClient' || !isClients(token)) return answer;
      return { ...answer, byClientJwt: token };
    },
  );
  const startedMs = clock.ms;
  for (const days of [20, 150, 200]) {
    const device = await boot();
    expect([days, await live(device, days)]).toEqual([days, []]);
    expect(device.service.signIn?.ending).toBeUndefined();
  }
  expect(clock.ms - startedMs).toBeGreaterThan(365 * dayMs);
  expect((await store.peek())?.holder).toBe('device');
  expect([...called]).toContain('refreshToken');
  expect([...called].filter((name) => name === 'codeCreate')).toEqual([]);
});

test('a sign-in that nothing renews is told of a week before it ends', async () => {
  const { boot, live } = await start('documented', ({ name, token }, ask) => {
    if (name === 'codeCreate' || (name === 'authClient' && isClients(token)))
      throw new TributaryError('service-refused', 'no');
    return ask();
  });
  const device = await boot();
  expect(await live(device, 21)).toEqual([]);
  expect(device.service.signIn?.ending).toBeUndefined();
  expect(await live(device, 6)).toEqual([]);
  expect(device.service.signIn?.ending?.code).toBe('sign-in-ending');
});

test.each(profileNames)(
  'a device that another network adopted says so, and is the same one with a code of that network (%s)',
  async (profile) => {
    const { service, client, store, boot, live, signal } = await start(profile);
    const before = await boot();
    await live(before, 1);
    const clientId = before.service.registration?.clientId ?? '';
    const asked = { clientId, deviceName: 'shed', durationMinutes: 15 };
    const { adoptCode } = await service.admin.createAdoptCode(asked);
    const { networkJwt } = await service.admin.createNetwork({ networkName: 'aunt' });
    const added = await call(service.baseUrl, '/device/add', {
      token: networkJwt,
      body: { code: adoptCode },
    });
    expect(added.status).toBe(200);
    expect(await live(before, 4)).toEqual(['client-lost']);
    const { body } = await call(service.baseUrl, '/auth/code-create', {
      token: networkJwt,
      body: {},
    });
    await signIn({ client, store }, new Secret(String(body.auth_code)), signal);
    const after = await boot();
    expect(await live(after, 4)).toEqual([]);
    expect(after.service.registration?.clientId).toBe(clientId);
  },
);

const endMs = Date.UTC(2026, 5, 1);
const atEnd = (byMs: number) => endMs + byMs;

test.each<readonly [string, number, number | undefined, 'kept' | 'dropped']>([
  ['this device’s clock says that it has expired', atEnd(dayMs), atEnd(-dayMs), 'kept'],
  ['the service’s clock says that it has expired', 0, atEnd(dayMs), 'dropped'],
  ['the service names no time', atEnd(dayMs), undefined, 'kept'],
])(
  'where %s, a refused token is judged by the service’s clock',
  async (_, ownMs, serviceMs, outcome) => {
    const directory = await mkdtemp(join(tmpdir(), 'tributary-dated-'));
    await using service = await startNastyService((request, response) => {
      response.sendDate = false;
      if (serviceMs !== undefined) response.setHeader('date', new Date(serviceMs).toUTCString());
      return sendJson({ error: { message: 'no' } }, 401)(request, response);
    });
    const { baseUrl } = service;
    const onSetAside = () => undefined;
    const now = () => new Date(ownMs);
    const store = createRegistrationFiles(directory, onSetAside).networkJwt;
    const claims = Buffer.from(JSON.stringify({ exp: endMs / 1000 })).toString('base64url');
    await store.write({ ...emptyNetworkJwtState, token: new Secret(`e30.${claims}.c2ln`) });
    const config = configSchema.parse({ service: { base_url: baseUrl } });
    const opened = await openState({ config, directory, onSetAside, now });
    const { loops, client } = await createTalk({
      loaded: {
        config,
        credentials: { networkJwt: undefined, authCode: undefined } as never,
        service: { baseUrl, allowInsecureHttp: true },
      },
      machine: {},
      opened,
      wakeups: createWakeups(),
      facts: opened.facts,
      log: quiet as never,
      now,
      random: () => 0,
      names: systemNames,
      directory,
      onSetAside,
    });
    onTestFinished(async () => {
      await client.close();
      await rm(directory, { recursive: true, force: true });
    });
    await loops.find(({ name }) => name === 'service')?.tick(new AbortController().signal);
    expect((await store.peek())?.token === undefined).toBe(outcome === 'dropped');
    const { signInProblem, registrationProblem } = opened.sections.service;
    const code = (signInProblem ?? registrationProblem)?.code;
    expect(code).toBe(outcome === 'dropped' ? 'not-authorized' : 'sign-in-refused');
  },
);
