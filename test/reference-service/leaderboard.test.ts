import { expect, test } from 'vitest';
import { networkHandlers } from '../../src/reference-service/answer-network.ts';
import type { Backend } from '../../src/reference-service/backend.ts';

/** How the leaderboard tells of one network of this name. */
async function tell(networkName: string, isPublic: 0 | 1) {
  const listEarners = () => [
    { networkId: 'id', networkName, isPublic, providedBytes: 3 * 1024 ** 2 },
  ];
  const backend = { usageHistory: { listEarners }, sample: async () => {} } as unknown as Backend;
  const { earners } = await networkHandlers.leaderboard(backend);
  return earners[0];
}

test.each(['a', 'ab', 'a rather long name', 'a'.repeat(63)])(
  'of the private name %s the first letter is told and nothing else',
  async (name) => {
    expect((await tell(name, 0))?.network_name).toBe('a•••••••');
  },
);

test('a private name is not cut within a character', async () => {
  expect((await tell('👋 hello', 0))?.network_name).toBe('👋•••••••');
});

test('a public name is told whole, with what the network provided', async () => {
  const expected = {
    network_id: 'id',
    network_name: 'home',
    net_mib_count: 3,
    is_public: true,
    contains_profanity: false,
  };
  expect(await tell('home', 1)).toEqual(expected);
});

test.each([
  ['home', false],
  ['Scunthorpe', false],
  ['fuck', true],
  ['a FuCk network', true],
  ['Turds', true],
  ['', false],
])('%s is profane: %s', async (name, expected) => {
  expect((await tell(name, 0))?.contains_profanity).toBe(expected);
});
