import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWakeups } from '../../src/agent/run-loop.ts';
import { createSections } from '../../src/agent/state.ts';
import { createServiceLoop } from '../../src/agent/talk/service-loop.ts';
import { createServiceSession } from '../../src/agent/talk/service-session.ts';
import { configSchema } from '../../src/config/schema.ts';
import { createRegistrationFiles } from '../../src/identity/registration-files.ts';
import { Secret } from '../../src/lib/secret.ts';
import { dayMs } from '../../src/lib/units.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { readClaims } from '../../src/service/jwt.ts';
import { type ProfileName, profileNames } from '../../src/service/profiles.ts';

const keepAliveSeconds = 6 * 3600;
const quiet = { info: () => undefined, warn: () => undefined, debug: () => undefined };

/** A device that talks with a real service, whose clock and its own are this test's. */
async function start(profile: ProfileName) {
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
  const client = createServiceClient({ baseUrl, allowInsecureHttp: true, tries: 1 });
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
      clock.ms += Math.max(await loop.tick(signal), 3.5 * dayMs);
      const { problem, signInProblem, registrationProblem, stateProblem } = seen;
      for (const one of [problem, signInProblem, registrationProblem, stateProblem])
        if (one !== undefined) problems.add(one.code);
    }
    return [...problems];
  };
  return { clock, service, store, boot, live, state };
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
