import { describe, expect, it } from 'vitest';
import { createAnnounceRound } from '../../../../src/agent/loops/announce-loop.ts';
import { createBoard } from '../../../../src/agent/state.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import type { Registration } from '../../../../src/identity/registration-files.ts';
import { TributaryError } from '../../../../src/lib/errors.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import type { ServiceClient } from '../../../../src/service/client.ts';
import { type ProfileName, profiles } from '../../../../src/service/profiles.ts';

const registration: Registration = {
  installId: '0123456789abcdef',
  clientId: 'client-1',
  clientJwt: new Secret('jwt'),
  keepaliveSeconds: 25,
  tunnel: undefined,
  storedAt: '2026-01-01T00:00:00.000Z',
  confirmedMode: undefined,
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
  const remembered: string[] = [];
  const config = configSchema.parse({
    service: { base_url: 'https://service.example', ...(profile === undefined ? {} : { profile }) },
    provide: { mode: 'friends' },
  });
  const board = createBoard(config, () => new Date(0));
  board.registration = { ...registration, showsProduction };
  board.wanted = { mode: 'friends', source: 'configuration' };
  const call = async (name: string, request: { readonly provideMode: number } | undefined) => {
    if (name === 'clients') return { clients: [] };
    sent.push(request?.provideMode ?? Number.NaN);
    return { provideMode: answer(request?.provideMode ?? Number.NaN) };
  };
  const round = createAnnounceRound({
    board,
    client: { call, close: async () => undefined } as unknown as ServiceClient,
    profile: profiles[profile ?? 'documented'],
    token: () => new Secret('network-jwt'),
    rememberConfirmed: async (mode) => void remembered.push(mode),
  });
  return { board, sent, remembered, round: () => round(new AbortController().signal) };
}

describe('the mode', () => {
  it.each([
    [{}, [3]],
    [{ profile: 'documented' }, [3]],
    [{ profile: 'production', showsProduction: true }, [2]],
    [{ profile: 'documented', showsProduction: true }, [3]],
  ] as const)('goes out as the number of the profile in force: %j', async (setting, numbers) => {
    const { round, sent } = start(setting);
    await round();
    expect(sent).toEqual(numbers);
  });

  it('is not sent where no profile is configured and the service shows the other one', async () => {
    const { round, sent, board } = start({ showsProduction: true });
    await round();
    expect(sent).toEqual([]);
    expect(board.problem('confirmation')?.code).toBe('profile-unclear');
  });

  it('is remembered as the service echoed it, and not sent again', async () => {
    const { round, sent, remembered, board } = start({});
    await round();
    await round();
    expect(sent).toEqual([3]);
    expect(remembered).toEqual(['friends']);
    expect(board.confirmedMode).toBe('friends');
  });

  it('that the service echoes as another is not taken for confirmed', async () => {
    const { round, board } = start({ answer: () => profiles.documented.modeNumbers.none });
    await round();
    expect(board.confirmedMode).toBe('none');
  });

  it('that the service cannot set is a note, and is not asked for again at once', async () => {
    const { round, sent, board } = start({
      answer: () => {
        throw new TributaryError('operation-not-served', 'the service does not serve this operation');
      },
    });
    await round();
    const waitMs = await round();
    expect(sent).toEqual([3]);
    expect(board.problem('confirmation')?.code).toBe('operation-not-served');
    expect(waitMs).toBeGreaterThan(60_000);
  });
});
