import { describe, expect, it } from 'vitest';
import { createAnnounceTick } from '../../../../src/agent/loops/announce-loop.ts';
import { createSections } from '../../../../src/agent/state.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import type { Registration } from '../../../../src/identity/registration-files.ts';
import { TributaryError } from '../../../../src/lib/errors.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import type { ServiceClient } from '../../../../src/service/client.ts';
import { type ProfileName, type ProvideMode, profiles } from '../../../../src/service/profiles.ts';

const registration: Registration = {
  installId: '0123456789abcdef',
  clientId: 'client-1',
  clientJwt: new Secret('jwt'),
  keepaliveSeconds: 25,
  tunnel: undefined,
  storedAt: '2026-01-01T00:00:00.000Z',
  showsProduction: false,
};

interface Setting {
  readonly profile?: ProfileName;
  readonly showsProduction?: boolean;
  /** What set-provide answers; a thrown error for a failure. */
  readonly answer?: (sentNumber: number) => number | undefined;
}

function start({ profile, showsProduction = false, answer = (sent) => sent }: Setting) {
  const sent: number[] = [];
  const remembered: (ProvideMode | undefined)[] = [];
  const config = configSchema.parse({
    service: { base_url: 'https://service.example', ...(profile === undefined ? {} : { profile }) },
    provide: { mode: 'friends' },
  });
  const sections = createSections(config, new Date(0));
  sections.service.registration = { ...registration, showsProduction };
  sections.service.networkJwt = new Secret('network-jwt');
  sections.mode.decision = { permit: true, mode: 'friends', reasons: [] };
  const confirmedMode = {
    current: () => remembered.at(-1),
    note: async (mode: ProvideMode | undefined) => void remembered.push(mode),
  };
  const call = async (name: string, request: { readonly provideMode: number } | undefined) => {
    if (name === 'clients') return { clients: [] };
    sent.push(request?.provideMode ?? Number.NaN);
    return { provideMode: answer(request?.provideMode ?? Number.NaN) };
  };
  const tick = createAnnounceTick({
    state: sections,
    announcement: sections.announcement,
    confirmedMode,
    client: { call, close: async () => undefined } as unknown as ServiceClient,
    profile: profiles[profile ?? 'documented'],
    now: () => new Date(0),
  });
  return { announcement: sections.announcement, sent, remembered, tick: () => tick(new AbortController().signal) };
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

  it('that the service cannot set is a note, and is not asked for again at once', async () => {
    const { tick, sent, announcement } = start({
      answer: () => {
        throw new TributaryError('operation-not-served', 'the service does not serve this operation');
      },
    });
    await tick();
    const waitMs = await tick();
    expect(sent).toEqual([3]);
    expect(announcement.problem?.code).toBe('operation-not-served');
    expect(waitMs).toBeGreaterThan(60_000);
  });
});
