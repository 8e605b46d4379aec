import { describe, expect, test } from 'vitest';
import { pickServiceFigures } from '../../../src/health/service-figures.ts';
import { operations } from '../../../src/service/operations.ts';
import { profiles } from '../../../src/service/profiles.ts';
import { fromWire } from '../../../src/service/wire-case.ts';

const toAnswer = (providers: unknown) =>
  fromWire(operations.providers.response.parse({ providers }));

describe("the service's figures", () => {
  test('come from our client’s row, in bytes and seconds', () => {
    const ours = {
      client_id: 'ours',
      connected: true,
      uptime_last_24h: 23.5,
      transfer_data_last_24h: 1.5,
      payout_last_24h: 0.42,
      contracts_last_24h: 17,
      clients_last_24h: 5,
      provide_mode: 3,
    };
    const answer = toAnswer([{ client_id: 'other', transfer_data_last_24h: 9 }, ours]);
    expect(pickServiceFigures(answer, 'ours', profiles.production)).toEqual({
      isConnected: true,
      uptimeSeconds: 84_600,
      transferredBytes: 1.5 * 1024 ** 3,
      payoutUsdc: 0.42,
      contracts: 17,
      consumers: 5,
      provideMode: 'public',
    });
    expect(pickServiceFigures(answer, 'ours', profiles.documented)?.provideMode).toBe('friends');
  });

  test('are unknown where the service’s answer lacks our client', () => {
    expect(pickServiceFigures(toAnswer(null), 'ours', profiles.documented)).toBeUndefined();
    expect(
      pickServiceFigures(toAnswer([{ client_id: 'other' }]), 'ours', profiles.documented),
    ).toBeUndefined();
  });

  test('are each unknown where the service does not say it, and zero where it says zero', () => {
    const unsaid = pickServiceFigures(
      toAnswer([{ client_id: 'ours' }]),
      'ours',
      profiles.documented,
    );
    expect(Object.values(unsaid ?? { none: 1 }).every((value) => value === undefined)).toBe(true);
    const idle = { client_id: 'ours', uptime_last_24h: 0, transfer_data_last_24h: 0 };
    expect(pickServiceFigures(toAnswer([idle]), 'ours', profiles.documented)).toMatchObject({
      uptimeSeconds: 0,
      transferredBytes: 0,
    });
  });
});
