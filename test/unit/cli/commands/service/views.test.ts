import { describe, expect, test } from 'vitest';
import {
  findConnectedAt,
  viewClient,
} from '../../../../../src/cli/commands/service/client-view.ts';
import { viewEarner } from '../../../../../src/cli/commands/service/leaderboard.ts';
import { viewReliability } from '../../../../../src/cli/commands/service/reliability.ts';
import { renderJson } from '../../../../../src/cli/present/text.ts';
import { judgeAnswer } from '../../../../../src/service/judge.ts';
import type { OperationName, WireResponse } from '../../../../../src/service/operations.ts';
import { profiles } from '../../../../../src/service/profiles.ts';

/** An answer as callers get it, of what a service wrote. */
function read<Name extends OperationName>(name: Name, body: WireResponse<Name>) {
  const answer = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(body),
  };
  return judgeAnswer({ name, answer, secrets: [], nowMs: 0 });
}

/** What `--json` shows of a view. */
const show = (view: unknown) => JSON.parse(renderJson(view));

describe('a client', () => {
  const view = (
    client: NonNullable<WireResponse<'clients'>['clients']>[number],
    name: 'documented' | 'production',
  ) => {
    const [listed] = read('clients', { clients: [client] }).clients;
    if (listed === undefined) throw new Error('no client');
    return viewClient(listed, profiles[name]);
  };

  test('without any known field is shown with every field empty', () => {
    const { connections, isConnected, ...rest } = show(view({}, 'documented'));
    expect({ connections, isConnected }).toEqual({ connections: [], isConnected: false });
    expect(Object.values(rest).filter((value) => value !== null)).toEqual([]);
  });

  test.each([
    [4, 'documented', 'public'],
    [4, 'production', 'stream'],
    [-1, 'production', 'default'],
    [17, 'documented', null],
  ] as const)('of mode %i in %s is %s', (provide_mode, profile, mode) => {
    expect(show(view({ provide_mode }, profile)).provideMode).toBe(mode);
  });

  test.each([
    [[], false, null],
    [[{ connect_time: 'a', disconnect_time: 'b' }], false, null],
    [[{ connect_time: 'a', disconnect_time: 'b' }, { connect_time: 'c' }], true, 'c'],
    [[{ connect_time: 'a', disconnect_time: '' }], true, 'a'],
    [[{}], true, null],
  ])('with the connections %j is connected: %s, since %s', (connections, isConnected, since) => {
    const client = view({ connections }, 'documented');
    expect(client.isConnected).toBe(isConnected);
    expect(findConnectedAt(client) ?? null).toBe(since);
  });

  test('keeps its secrets', () => {
    const wg_config = { client_private_key: 'secret-1', config: 'secret-2', wg_proxy_port: 51820 };
    const proxy_client = {
      auth_token: 'secret-3',
      https_proxy_url: 'https://u:secret-4@proxy',
      wg_config,
    };
    const client = view({ proxy_client }, 'documented');
    expect(client.proxy).toMatchObject({ hasTunnel: true, wireGuardPort: 51820 });
    expect(renderJson(client)).not.toContain('secret');
  });
});

describe('an earner', () => {
  const rude = {
    network_id: 'n1',
    network_name: 'rude',
    contains_profanity: true,
    net_mib_count: 3,
  };
  test.each([
    [rude, false, { networkName: null, containsProfanity: true, isOwn: true, providedMib: 3 }],
    [rude, true, { networkName: 'rude', containsProfanity: true }],
    [
      { ...rude, contains_profanity: false },
      false,
      { networkName: 'rude', containsProfanity: false },
    ],
    [
      {},
      false,
      {
        networkName: null,
        containsProfanity: false,
        isOwn: false,
        providedMib: null,
        isPublic: null,
      },
    ],
  ])('%j, with all names shown: %s', (earner, showsAll, shown) => {
    const [answered] = read('leaderboard', { earners: [earner] }).earners;
    if (answered === undefined) throw new Error('no earner');
    expect(show(viewEarner(answered, { rank: 1, ownNetworkId: 'n1', showsAll }))).toMatchObject({
      rank: 1,
      ...shown,
    });
  });
});

describe('a reliability window', () => {
  test('that the answer lacks is shown as an empty one', () => {
    const { buckets, countryMultipliers, ...rest } = show(viewReliability(undefined));
    expect({ buckets, countryMultipliers }).toEqual({ buckets: [], countryMultipliers: [] });
    expect(Object.values(rest).filter((value) => value !== null)).toEqual([]);
  });

  test('is as long as its longest list, and knows when each bucket began', () => {
    const window = {
      min_time_unix_milli: Date.UTC(2026, 2, 14),
      bucket_duration_seconds: 60,
      reliability_weights: [1, 0.5],
      client_counts: [2],
    };
    const { reliabilityWindow } = read('reliability', { reliability_window: window });
    expect(show(viewReliability(reliabilityWindow)).buckets).toEqual([
      { startAt: '2026-03-14T00:00:00.000Z', weight: 1, clientCount: 2, totalClientCount: null },
      {
        startAt: '2026-03-14T00:01:00.000Z',
        weight: 0.5,
        clientCount: null,
        totalClientCount: null,
      },
    ]);
  });

  test('with a time that cannot be read has no time', () => {
    const { reliabilityWindow } = read('reliability', {
      reliability_window: { min_time_unix_milli: 1e300 },
    });
    expect(show(viewReliability(reliabilityWindow)).windowStartAt).toBeNull();
  });
});
