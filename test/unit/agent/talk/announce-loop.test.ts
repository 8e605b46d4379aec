import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSections } from '../../../../src/agent/create-sections.ts';
import { createWakeups } from '../../../../src/agent/run-loop.ts';
import { createAnnounceLoop } from '../../../../src/agent/talk/announce-loop.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { TributaryError } from '../../../../src/errors/codes.ts';
import type { Registration } from '../../../../src/identity/registration-files.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import type { ServiceClient } from '../../../../src/service/client.ts';
import { type ProfileName, type ProvideMode, profiles } from '../../../../src/service/profiles.ts';

const registration: Registration = {
  installId: '0123456789abcdef',
  clientId: 'client-1',
  clientJwt: new Secret('jwt'),
  renewSeconds: 25,
  tunnel: undefined,
  storedAt: '2026-01-01T00:00:00.000Z',
  showsProduction: false,
};

interface Setting {
  readonly profile?: ProfileName;
  readonly showsProduction?: boolean;
  /** What set-provide answers; a thrown error for a failure. */
  readonly answer?: (sentNumber: number) => number | undefined;
  /** It was registered in an earlier life. */
  readonly isRestart?: boolean;
  /** What the service confirmed in an earlier life. */
  readonly confirmed?: ProvideMode;
  /** What the owner's schedule says. */
  readonly scheduled?: ProvideMode;
  /** The mode in force. */
  readonly mode?: ProvideMode;
  readonly override?: ProvideMode;
}

function start({ profile, showsProduction = false, answer = (sent) => sent, ...setting }: Setting) {
  const sent: number[] = [];
  const remembered: (ProvideMode | undefined)[] =
    setting.confirmed === undefined ? [] : [setting.confirmed];
  const config = configSchema.parse({
    service: { base_url: 'https://service.example', ...(profile === undefined ? {} : { profile }) },
    provide: { mode: 'friends' },
  });
  const sections = createSections(config, new Date(0));
  const register = () => {
    sections.service.registration = { ...registration, showsProduction };
  };
  if (setting.isRestart === true) register();
  sections.service.token = new Secret('network-jwt');
  sections.mode.decision = {
    permit: true,
    mode: setting.mode ?? 'friends',
    reasons: [],
    devices: [],
  };
  sections.mode.scheduled = setting.scheduled;
  const override = setting.override && { mode: setting.override };
  const state = { ...sections, overrides: { current: () => override } };
  const confirmedMode = {
    current: () => remembered.at(-1),
    note: async (mode: ProvideMode | undefined) => void remembered.push(mode),
  };
  const call = async (name: string, request: { readonly provideMode: number } | undefined) => {
    if (name === 'clients') return { clients: [] };
    sent.push(request?.provideMode ?? Number.NaN);
    return { provideMode: answer(request?.provideMode ?? Number.NaN) };
  };
  const woken = vi.fn();
  const { tick } = createAnnounceLoop({
    state,
    random: () => 0.5,
    announcement: sections.announcement,
    confirmedMode,
    client: { call, close: async () => undefined } as unknown as ServiceClient,
    profile: profiles[profile ?? 'documented'],
    wakeups: { ...createWakeups(), dataPath: { ...createWakeups().dataPath, notify: woken } },
    now: () => new Date(0),
  });
  register();
  return {
    announcement: sections.announcement,
    mode: sections.mode,
    woken,
    sent,
    remembered,
    tick: () => tick(new AbortController().signal),
  };
}

describe('the mode', () => {
  it.each([
    [{}, [3]],
    [{ profile: 'documented' }, [3]],
    [{ profile: 'production', showsProduction: true }, [2]],
    [{ profile: 'documented', showsProduction: true }, [3]],
  ] as const)('goes out as the number of the profile in force: %j', async (setting, numbers) => {
    const { tick, sent } = start(setting);
    await tick();
    expect(sent).toEqual(numbers);
  });

  it('is not sent where no profile is configured and the service shows the other one', async () => {
    const { tick, sent, announcement } = start({ showsProduction: true });
    await tick();
    expect(sent).toEqual([]);
    expect(announcement.problem?.code).toBe('profile-unclear');
  });

  it('is remembered as the service echoed it, and not sent again', async () => {
    const { tick, sent, remembered } = start({});
    await tick();
    await tick();
    expect(sent).toEqual([3]);
    expect(remembered).toEqual(['friends']);
  });

  it('that the service echoes as another is not taken for confirmed', async () => {
    const { tick, remembered } = start({ answer: () => profiles.documented.modeNumbers.none });
    await tick();
    expect(remembered).toEqual(['none']);
  });

  it('that the service applied in place of another is a note, until it is the wanted one', async () => {
    const { tick, announcement, mode, woken } = start({
      answer: () => profiles.documented.modeNumbers.public,
    });
    await tick();
    const { code, message } = announcement.problem ?? {};
    expect([code, message]).toEqual([
      'mode-not-applied',
      'the service was asked for mode friends and has public',
    ]);
    expect([announcement.isServed, woken.mock.calls.length]).toEqual([true, 1]);
    mode.decision = { permit: true, mode: 'public', reasons: [], devices: [] };
    await tick();
    expect(announcement.problem).toBeUndefined();
  });

  it('that is taken wakes the gateway, which may wait for it', async () => {
    const { tick, announcement, woken } = start({ confirmed: 'public' });
    await tick();
    expect([announcement.problem, woken.mock.calls.length]).toEqual([undefined, 1]);
  });

  it('that ends a short pause is told at once; after the next one it waits, and says so', async () => {
    const { tick, sent, mode, announcement } = start({});
    const choose = async (chosen: ProvideMode) => {
      mode.decision = { permit: chosen !== 'none', mode: chosen, reasons: [], devices: [] };
      return tick();
    };
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await choose('friends');
    vi.advanceTimersByTime(90_000);
    for (const chosen of ['none', 'friends', 'none'] as const) {
      vi.advanceTimersByTime(1000);
      await choose(chosen);
      expect(announcement.problem).toBeUndefined();
    }
    const waitMs = await choose('friends');
    expect(sent).toEqual([3, 1, 3, 1]);
    expect([announcement.problem?.code, announcement.problem?.message]).toEqual([
      'mode-not-told',
      'the service still has none, and is told friends within a minute: a mode for more people goes out once a minute at most',
    ]);
    vi.advanceTimersByTime(waitMs);
    await tick();
    expect([sent.at(-1), announcement.problem]).toEqual([3, undefined]);
  });

  it('that the service cannot set is a note, and is not asked for again at once', async () => {
    const { tick, sent, announcement } = start({
      answer: () => {
        throw new TributaryError(
          'operation-not-served',
          'the service does not serve this operation',
        );
      },
    });
    await tick();
    const waitMs = await tick();
    expect(sent).toEqual([3]);
    expect(announcement.problem?.code).toBe('operation-not-served');
    expect(announcement.isServed).toBe(false);
    expect(waitMs).toBeGreaterThan(60_000);
  });
});

describe('a mode that many devices change in the same moment', () => {
  it.each<[string, Setting]>([
    ['by the schedule', { confirmed: 'network', scheduled: 'friends' }],
    [
      'by switching on, at a service that never confirmed one',
      { profile: 'production', isRestart: true, answer: () => undefined },
    ],
  ])('%s is told at a time of its own', async (_, setting) => {
    const { tick, sent, announcement } = start(setting);
    const [first, second] = [await tick(), await tick()];
    expect([sent, Math.round(first / 1000)]).toEqual([[], 150]);
    expect(announcement.problem?.message).toContain(
      'is told friends within 3 minutes: devices do not all tell it in the same moment',
    );
    expect(second, 'the same time').toBeLessThanOrEqual(first);
  });

  it('is told when that time has come', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { tick, sent } = start({ confirmed: 'network', scheduled: 'friends' });
    vi.advanceTimersByTime(await tick());
    await tick();
    expect(sent).toEqual([3]);
  });

  it.each<[string, Setting, number]>([
    ['of a device that is new', {}, 3],
    ['of a device that is new, by the schedule', { scheduled: 'friends' }, 3],
    ['by the configuration', { confirmed: 'network', isRestart: true }, 3],
    ['by hand', { confirmed: 'network', scheduled: 'friends', override: 'friends' }, 3],
    [
      'to fewer people, by the schedule',
      { confirmed: 'public', scheduled: 'friends', isRestart: true },
      3,
    ],
    ['to none, by the schedule', { confirmed: 'network', scheduled: 'none', mode: 'none' }, 1],
  ])('is told at once where it changes %s', async (_, setting, number) => {
    const { tick, sent } = start(setting);
    await tick();
    expect(sent).toEqual([number]);
  });

  it.each([
    ['an answer that asks for nothing', 'service-unreachable', undefined, 60],
    ['Retry-After', 'rate-limited', 600, 600 + 150],
    ['a refusal', 'service-refused', undefined, 6 * 3600 + 150],
  ] as const)('is told again after %s', async (_, code, retryAfterSeconds, seconds) => {
    const { tick } = start({
      answer: () => {
        throw new TributaryError(code, 'no', { retryAfterSeconds });
      },
    });
    expect(await tick()).toBe(60_000);
    expect(Math.round((await tick()) / 1000)).toBe(seconds);
  });
});
