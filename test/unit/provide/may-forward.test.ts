import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ForwardFacts, mayForward, type Obstacle } from '../../../src/provide/may-forward.ts';
import { provideModes } from '../../../src/service/profiles.ts';
import { assertLaw } from '../law.ts';

const clear: ForwardFacts = {
  mode: 'public',
  isCapReached: false,
  isStopping: false,
  isSignedOut: false,
  isRegistered: true,
  hasUplink: true,
  hasTunnel: true,
  hasFreshHandshake: true,
  isGatewayEnabled: true,
  isFenced: true,
};

describe("consumers' traffic", () => {
  test.each(provideModes.filter((mode) => mode !== 'none'))(
    'may pass in mode %s when nothing is in the way',
    (mode) => {
      expect(mayForward({ ...clear, mode })).toEqual({ permit: true, mode, reasons: [] });
    },
  );

  const rows: readonly (readonly [string, Partial<ForwardFacts>, readonly Obstacle[]])[] = [
    ['the agent stops', { isStopping: true }, ['stopping']],
    ['nobody is signed in', { isSignedOut: true }, ['signed-out']],
    ['the kernel does not hold the rules', { isFenced: false }, ['unfenced', 'mode-none']],
    ['the device is not registered', { isRegistered: false }, ['not-registered']],
    ['the cap is reached', { isCapReached: true }, ['cap-reached', 'mode-none']],
    ['there is no way to the Internet', { hasUplink: false }, ['no-uplink']],
    ['there is no tunnel', { hasTunnel: false }, ['no-tunnel']],
    ['the other end is silent', { hasFreshHandshake: false }, ['no-handshake']],
    ['the mode is not known', { mode: undefined }, ['undecided']],
    ['forwarding is switched off', { isGatewayEnabled: false }, ['gateway-disabled']],
    ['the owner shares nothing', { mode: 'none' }, ['mode-none']],
    [
      'a mode that is not known meets a reached cap',
      { mode: undefined, isCapReached: true },
      ['cap-reached', 'undecided'],
    ],
    ['several things are in the way', { isSignedOut: true, hasUplink: false }, ['signed-out', 'no-uplink']],
  ];
  test.each(rows)('may not pass while %s, and every obstacle is named', (_claim, change, reasons) => {
    expect(mayForward({ ...clear, ...change })).toMatchObject({ permit: false, reasons });
  });

  test('is told to the service as mode none where a limit forbids it, and only there', () => {
    assertLaw(fc.record({ isCapReached: fc.boolean(), isFenced: fc.boolean(), hasUplink: fc.boolean() }), (change) => {
      const isLimited = change.isCapReached || !change.isFenced;
      expect(mayForward({ ...clear, ...change }).mode).toBe(isLimited ? 'none' : 'public');
    });
  });
});
