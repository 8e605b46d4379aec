import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import { makeDirectory } from './make-directory.ts';

function open() {
  const clock = { nowMs: 1_800_000_000_000 };
  const networks = createNetworks(openDatabase(makeDirectory()), () => clock.nowMs);
  return { clock, networks, network: networks.ensureFirst() };
}

test('there is one first network, however often it is asked for', () => {
  const { networks, network } = open();
  networks.create('another');
  expect(networks.ensureFirst()).toEqual(network);
});

describe('a login code', () => {
  test('is good for as many logins as it was issued for', () => {
    const { networks, network } = open();
    const code = networks.issueCode(network.networkId, { durationMinutes: 10, uses: 2 });
    const logins = [1, 2, 3].map(() => networks.redeemCode(code)?.networkId);
    expect(logins).toEqual([network.networkId, network.networkId, undefined]);
  });
  test.each([
    [599_999, true],
    [600_000, false],
  ])('of ten minutes after %i ms: good is %s', (laterMs, isGood) => {
    const { clock, networks, network } = open();
    const code = networks.issueCode(network.networkId, { durationMinutes: 10, uses: 1 });
    clock.nowMs += laterMs;
    expect(networks.redeemCode(code) !== undefined).toBe(isGood);
  });
  test('stands for its own network', () => {
    const { networks } = open();
    const other = networks.create('another');
    const code = networks.issueCode(other.networkId, { durationMinutes: 10, uses: 1 });
    expect(networks.redeemCode(code)).toEqual(other);
  });
  test('is base64url, and some begin with a minus sign', () => {
    const { networks, network } = open();
    const codes = Array.from({ length: 100 }, () => {
      return networks.issueCode(network.networkId, { durationMinutes: 10, uses: 1 });
    });
    expect(codes.filter((code) => !/^[A-Za-z0-9_-]{32,684}$/.test(code))).toEqual([]);
    expect(codes.some((code) => code.startsWith('-'))).toBe(true);
    expect(new Set(codes).size).toBe(100);
  });
});
