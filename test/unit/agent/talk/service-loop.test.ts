import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSections } from '../../../../src/agent/create-sections.ts';
import { createWakeups } from '../../../../src/agent/run-loop.ts';
import { createServiceLoop } from '../../../../src/agent/talk/service-loop.ts';
import type { ServiceSession } from '../../../../src/agent/talk/service-session.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { TributaryError } from '../../../../src/errors/codes.ts';
import type { Registration } from '../../../../src/identity/registration-files.ts';
import { Secret } from '../../../../src/lib/secret.ts';

const registered = { clientId: 'client-1', renewSeconds: 90 } as Registration;
const renewed = { clientId: 'client-1', renewSeconds: 45 } as Registration;
const fail =
  (...given: ConstructorParameters<typeof TributaryError>) =>
  async () => {
    throw new TributaryError(...given);
  };

function start(change: Partial<ServiceSession> = {}) {
  const sections = createSections(
    configSchema.parse({ service: { base_url: 'https://service.example' } }),
    new Date(0),
  );
  const wakeups = createWakeups();
  const woken: string[] = [];
  for (const [name, wakeup] of Object.entries(wakeups)) wakeup.notify = () => void woken.push(name);
  const calls: string[] = [];
  const session: ServiceSession = {
    load: async () => undefined,
    signIn: async () => new Secret('network-jwt'),
    register: async () => registered,
    renew: async () => renewed,
    confirmRefusal: async () => false,
    dropIfUseless: async () => false,
    ...change,
  };
  const spied = Object.fromEntries(
    Object.entries(session).map(([name, work]) => [
      name,
      (...given: never[]) => {
        calls.push(name);
        return (work as (...given: never[]) => unknown)(...given);
      },
    ]),
  ) as unknown as ServiceSession;
  const loop = createServiceLoop({
    state: sections,
    service: sections.service,
    session: spied,
    wakeups,
    now: () => new Date(0),
    random: () => 0.5,
    readResolvConf: async () => '',
  });
  const controller = new AbortController();
  return { ...sections, calls, woken, loop, controller, tick: () => loop.tick(controller.signal) };
}

describe('the conversation with the service', () => {
  test('signs in and registers, then keeps alive on the interval that the service named', async () => {
    const { service, calls, woken, tick } = start();
    expect(await tick()).toBe(90_000 * 0.9 * 0.5);
    expect(service.token?.reveal()).toBe('network-jwt');
    expect(service).toMatchObject({
      registration: registered,
      renewSeconds: 90,
      nextRenewalAt: new Date(40_500),
    });
    expect(woken).toEqual(['dataPath', 'announce']);
    expect(await tick()).toBe(45_000 * 0.9);
    expect(calls).toEqual(['signIn', 'register', 'signIn', 'renew']);
  });

  test('wakes the data path after a renewal that brings another tunnel or ends a failure, and after no other', async () => {
    const tunnels = ['first', 'first', 'second'].map(
      (text) => ({ ...renewed, tunnel: { text: new Secret(text) } }) as never,
    );
    let outcome: ServiceSession['renew'] = async () =>
      tunnels.shift() ?? fail('service-unreachable', 'no')();
    const { service, woken, tick } = start({
      register: async () => tunnels[0] as never,
      renew: (...given) => outcome(...given),
    });
    await tick();
    const { tunnel } = service.registration ?? {};
    woken.length = 0;
    const wokenBy = async () => {
      await tick();
      return woken.splice(0);
    };
    expect(await wokenBy()).toEqual(['announce']);
    expect(await wokenBy()).toEqual(['announce']);
    expect(service.registration?.tunnel).toBe(tunnel);
    expect(await wokenBy()).toEqual(['dataPath', 'announce']);
    expect(service.registration?.tunnel).not.toBe(tunnel);
    const { registration } = service;
    expect(await wokenBy()).toEqual([]);
    outcome = async () => registration as never;
    expect(await wokenBy()).toEqual(['dataPath', 'announce']);
    expect(await wokenBy()).toEqual(['announce']);
  });

  test('puts a new tunnel to use as soon as it is issued, while its renewal still goes on', async () => {
    const other = { ...renewed, tunnel: { text: new Secret('other') } } as never;
    const { promise, resolve } = Promise.withResolvers<typeof renewed>();
    const { service, woken, loop, tick } = start({ renew: () => promise as never });
    await tick();
    woken.length = 0;
    const ticked = tick();
    loop.take(other);
    expect([service.registration, woken]).toEqual([other, ['dataPath']]);
    loop.take(other);
    expect(woken).toEqual(['dataPath']);
    resolve(other);
    await ticked;
  });

  test('begins with what an earlier run kept, and asks for the registration all the same', async () => {
    const { service, calls, loop, tick } = start({ load: async () => registered });
    await loop.restore();
    expect(service).toEqual({ registration: registered, renewSeconds: 90 });
    await tick();
    expect(calls).toEqual(['load', 'signIn', 'register']);
  });

  test('says that the state cannot be read, and goes on', async () => {
    const { service, loop, tick } = start({ load: fail('state-unreadable', 'no') });
    await loop.restore();
    expect(service.stateProblem?.code).toBe('state-unreadable');
    await tick();
    expect(service.stateProblem).toBeUndefined();
  });

  test.each(['state-unreadable', 'state-unwritable'] as const)(
    'keeps alive with the sign-in that it knows while the disk is %s, and says so until it is well',
    async (code) => {
      let outcome: ServiceSession['signIn'] = async () => new Secret('network-jwt');
      const { service, calls, tick } = start({ signIn: (signal) => outcome(signal) });
      await tick();
      outcome = fail(code, 'no');
      expect(await tick()).toBe(45_000 * 0.9);
      expect(service).toMatchObject({
        registration: renewed,
        stateProblem: { code },
        problem: undefined,
      });
      outcome = async () => new Secret('network-jwt');
      await tick();
      expect(service.stateProblem).toBeUndefined();
      expect(calls).toEqual(['signIn', 'register', 'signIn', 'renew', 'signIn', 'renew']);
    },
  );

  test('asks nothing of the service where the disk cannot be read and no sign-in is known', async () => {
    const { service, calls, tick } = start({ signIn: fail('state-unreadable', 'no') });
    await tick();
    expect([calls, service.stateProblem?.code]).toEqual([['signIn'], 'state-unreadable']);
  });

  test.each([
    ['signed-out', 'signInProblem', 30_000],
    ['auth-code-refused', 'signInProblem', 30_000],
    ['state-unwritable', 'stateProblem', 1_500],
    ['identity-moved', 'stateProblem', 30_000],
    ['client-limit-exceeded', 'registrationProblem', 675_000],
    ['registration-incomplete', 'registrationProblem', 1_500],
    ['service-refused', 'registrationProblem', 1_500],
    ['service-unreachable', 'problem', 1_500],
    ['not-authorized', 'problem', 1_500],
  ] as const)('keeps %s as a %s and asks again in %i ms', async (code, topic, waitMs) => {
    const { service, tick } = start({ register: fail(code, 'no') });
    expect(await tick()).toBe(waitMs);
    expect(service[topic]).toMatchObject({ code, since: new Date(0) });
    expect(service.nextRenewalAt).toEqual(new Date(waitMs));
  });

  test('waits longer with every failure, never less than half a second, and as long as the service asks', async () => {
    const { tick } = start({ register: fail('service-failed', 'no', { retryAfterSeconds: 0 }) });
    const waits = [await tick(), await tick(), await tick()];
    expect(waits).toEqual([1_500, 2_500, 4_500]);
    const { tick: asked } = start({
      register: fail('rate-limited', 'later', { retryAfterSeconds: 3_600 }),
    });
    expect(await asked()).toBe(3_600_000 + 60_000 * 0.9 * 0.5);
  });

  test('asks no sooner than a quarter of its interval once it is registered, also before the first answer', async () => {
    const { loop, tick } = start({
      load: async () => registered,
      register: fail('service-unreachable', 'no'),
    });
    await loop.restore();
    expect([await tick(), await tick()]).toEqual([22_500 + 90_000, 22_500 + 150_000]);
  });

  test('after Retry-After comes back at a time of its own within an interval', async () => {
    const away = fail('service-failed', 'later', { retryAfterSeconds: 7_200 });
    const { loop, tick } = start({ load: async () => registered, register: away });
    await loop.restore();
    expect(await tick()).toBe(7_200_000 + 90_000 * 0.9 * 0.5);
  });

  describe('while no tunnel is issued to a source that wants one', () => {
    const issued = { ...renewed, tunnel: { text: new Secret('text') } } as never;
    const startWanting = (change: Partial<ServiceSession>) => {
      const started = start(change);
      Object.assign(started.sources, { all: [{ wantsIssuedTunnel: true }] });
      return started;
    };

    test('asks again as soon as after a failure, and no later than at its interval', async () => {
      const { service, tick } = startWanting({});
      const waits: number[] = [];
      for (let round = 0; round < 6; round += 1) waits.push(await tick());
      expect(waits).toEqual([1_500, 2_500, 4_500, 8_500, 16_500, 32_500]);
      expect(await tick()).toBe(45_000 * 0.9);
      expect(service).toMatchObject({ registration: renewed, registrationProblem: undefined });
    });

    test('asks again on its interval once it has one, and wakes the data path for it', async () => {
      const outcomes = [renewed, issued];
      const { tick, woken, calls } = startWanting({
        renew: async () => outcomes.shift() ?? issued,
      });
      await tick();
      woken.length = 0;
      expect(await tick()).toBe(2_500);
      expect(woken.splice(0)).toEqual(['announce']);
      expect(await tick()).toBe(45_000 * 0.9);
      expect(woken).toEqual(['dataPath', 'announce']);
      expect(calls.filter((name) => name === 'register')).toHaveLength(1);
    });

    test('wakes the data path where the service gives another reason', async () => {
      const unissued = { said: 'Upgrade.', needsUpgrade: true };
      const { tick, woken } = startWanting({ renew: async () => ({ ...renewed, unissued }) });
      await tick();
      woken.length = 0;
      await tick();
      expect(woken.splice(0)).toEqual(['dataPath', 'announce']);
      await tick();
      expect(woken).toEqual(['announce']);
    });

    test('asks after a failure as soon as a device that is not registered, and as late as the service says', async () => {
      const { tick, loop } = startWanting({
        load: async () => registered,
        register: fail('service-unreachable', 'no'),
      });
      await loop.restore();
      expect([await tick(), await tick()]).toEqual([1_500, 2_500]);
      const asked = startWanting({
        load: async () => registered,
        register: fail('rate-limited', 'later', { retryAfterSeconds: 3_600 }),
      });
      await asked.loop.restore();
      expect(await asked.tick()).toBe(3_600_000 + 60_000 * 0.9 * 0.5);
    });
  });

  test('starts its waits again after a success', async () => {
    const outcomes = [
      fail('service-failed', 'no'),
      fail('service-failed', 'no'),
      async () => registered,
    ];
    const { tick } = start({
      register: async () => (outcomes.shift() ?? fail('service-failed', 'no'))(),
      renew: fail('service-failed', 'no'),
    });
    expect([await tick(), await tick(), await tick(), await tick()]).toEqual([
      1_500, 2_500, 40_500, 112_500,
    ]);
  });

  test('keeps a token that is refused, and the tunnel; only one that is dropped closes the gateway', async () => {
    const refused = fail('not-authorized', 'no');
    const doubted = start({ register: refused });
    await doubted.tick();
    expect(doubted.service.problem?.code).toBe('not-authorized');
    expect(doubted.service).not.toHaveProperty('signInProblem.code');
    const failed = start({
      register: fail('service-failed', 'no'),
      confirmRefusal: async () => true,
    });
    await failed.tick();
    expect(failed.calls).not.toContain('confirmRefusal');
    const kept = start({ register: refused, confirmRefusal: async () => true });
    expect(await kept.tick()).toBe(450_000);
    expect(await kept.tick()).toBe(600_000);
    expect(await kept.tick()).toBe(600_000);
    expect(kept.service.registrationProblem).toMatchObject({
      code: 'sign-in-refused',
      since: new Date(0),
    });
    expect([kept.service.token?.reveal(), kept.service.signInProblem]).toEqual([
      'network-jwt',
      undefined,
    ]);
    expect(kept.woken).toEqual([]);
    const dropped = start({
      register: refused,
      confirmRefusal: async () => true,
      dropIfUseless: async () => true,
    });
    await dropped.tick();
    expect(dropped.service).toMatchObject({
      token: undefined,
      signInProblem: { code: 'not-authorized' },
    });
    expect(dropped.woken).toEqual(['dataPath']);
  });

  test('counts the time of nothing but refusals of one token', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const times: number[] = [];
    let token = 'one';
    let outcome: () => Promise<Registration> = fail('not-authorized', 'no');
    const { tick } = start({
      signIn: async () => new Secret(token),
      register: () => outcome(),
      renew: () => outcome(),
      confirmRefusal: async () => true,
      dropIfUseless: async (_, refusedMs) => void times.push(refusedMs) !== undefined,
    });
    const refusedAfter = async (ms: number) => {
      outcome = fail('not-authorized', 'no');
      vi.advanceTimersByTime(ms);
      await tick();
    };
    await refusedAfter(1);
    await refusedAfter(10);
    await refusedAfter(100);
    token = 'another';
    await refusedAfter(1);
    await refusedAfter(1000);
    outcome = fail('service-unreachable', 'away');
    await tick();
    await refusedAfter(1);
    await refusedAfter(2000);
    outcome = async () => registered;
    await tick();
    await refusedAfter(1);
    expect(times).toEqual([0, 10, 110, 0, 1000, 0, 2000, 0]);
  });

  test('keeps a registered device alive where the limit of devices is reached', async () => {
    const { tick, service } = start({ renew: fail('client-limit-exceeded', 'no') });
    await tick();
    for (const waitMs of [await tick(), await tick()]) {
      expect(waitMs).toBeGreaterThanOrEqual(72_000);
      expect(waitMs).toBeLessThanOrEqual(90_000);
    }
    expect(service.registrationProblem?.code).toBe('client-limit-exceeded');
  });

  test('forgets every problem once it goes well', async () => {
    const outcomes = [
      fail('client-limit-exceeded', 'no'),
      fail('service-unreachable', 'no'),
      async () => registered,
    ];
    const { service, tick } = start({
      register: async () => (outcomes.shift() ?? (async () => registered))(),
    });
    await tick();
    await tick();
    expect([service.registrationProblem?.code, service.problem?.code]).toEqual([
      'client-limit-exceeded',
      'service-unreachable',
    ]);
    await tick();
    expect([service.registrationProblem, service.problem]).toEqual([undefined, undefined]);
  });

  test('ends with the agent', async () => {
    const { tick, controller } = start({
      register: async () => {
        controller.abort();
        throw controller.signal.reason;
      },
    });
    await expect(tick()).rejects.toThrow();
  });

  test('names what it is, where the service’s name finds no name server', async () => {
    const message = 'no connection to service.example: no name server answers';
    const { service, tick } = start({ register: fail('service-unreachable', message) });
    await tick();
    expect(service.problem?.message).toMatch(
      /no name server answers.*no name server can be reached/,
    );
  });
});
