import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planPeers } from '../../src/reference-service/peers.ts';
import type { TunnelPeer } from '../../src/reference-service/proxies.ts';

const internet = ['0.0.0.0/0', '::/0'];

/**
 * What wg does with allowed addresses: a peer that is given an address takes it from all others.
 */
function interpret(
  state: Map<string, readonly string[]>,
  commands: readonly (readonly string[])[],
): void {
  for (const args of commands) {
    for (let index = 0; index < args.length; index += 4) {
      const [word, key = '', option, list = ''] = args.slice(index, index + 4);
      expect([word, option]).toEqual(['peer', 'allowed-ips']);
      const given = list.split(',');
      for (const [other, ips] of state)
        state.set(
          other,
          ips.filter((ip) => !given.includes(ip)),
        );
      state.set(key, given);
    }
  }
}

const createPeer = (number: number): TunnelPeer => {
  return {
    clientId: `c${number}`,
    publicKey: `k${number}`,
    address: `10.64.0.${number}`,
    provideMode: 'public',
  };
};

const toRow = (publicKey: string, allowedIps: readonly string[]) => {
  return { publicKey, allowedIps, lastHandshakeAt: undefined, rxBytes: 0, txBytes: 0 };
};

test('whatever the interface held, only the chosen peer has the Internet, and a second look plans nothing', () => {
  const keys = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined });
  fc.assert(
    fc.property(fc.subarray([1, 2, 3, 4, 5, 6]), keys, keys, (present, current, chosen) => {
      const peers = [1, 2, 3, 4, 5, 6].map(createPeer);
      const chosenKey = chosen === undefined ? undefined : `k${chosen}`;
      const state = new Map<string, readonly string[]>(
        present.map((number) => [
          `k${number}`,
          [`10.64.0.${number}/32`, ...(number === current ? internet : [])],
        ]),
      );
      const look = () => ({
        peers,
        traffic: [...state].map(([key, allowedIps]) => toRow(key, allowedIps)),
      });
      interpret(state, planPeers(look(), chosenKey));
      for (const peer of peers) {
        const rest = peer.publicKey === chosenKey ? internet : [];
        expect(state.get(peer.publicKey)).toEqual([`${peer.address}/32`, ...rest]);
      }
      expect(planPeers(look(), chosenKey)).toEqual([]);
    }),
  );
});

test('many new peers are split over several commands, none of them lost', () => {
  const peers = Array.from({ length: 1201 }, (_, index) => ({
    ...createPeer(1),
    publicKey: `k${index}`,
  }));
  const commands = planPeers({ peers, traffic: [] }, undefined);
  expect(commands.map((args) => args.length / 4)).toEqual([500, 500, 201]);
});
