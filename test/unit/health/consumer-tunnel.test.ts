import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgePhase } from '../../../src/health/phase.ts';
import { findAction } from '../../../src/health/reasons.ts';
import { ago, createFacts, type FactsChange, now } from '../../../tools/docs/sample-facts.ts';
import { assertLaw } from '../law.ts';
import { arbitraryFacts } from './arbitrary-facts.ts';

const silence = { since: ago(100_000), providingSeconds: 86_400, totalBytes: 1000 };
const silentGateway = { silence, forwardedBytes: { up: 600, down: 400 } };
const production = { profile: 'production' } as const;

const judge = (change: FactsChange) =>
  judgePhase(createFacts({ service: production, ...change }), now);
const listCodes = (change: FactsChange) => judge(change).reasons.map(({ code }) => code);

describe('a tunnel that brings no consumers', () => {
  test('is a note beside providing, since the silence began, with what it means and what to do', () => {
    const { phase, reasons } = judge({ gateway: silentGateway });
    expect(phase).toBe('providing');
    expect(reasons).toEqual([
      {
        code: 'consumer-tunnel',
        message: expect.stringContaining("carry the device's own traffic out"),
        action: findAction('consumer-tunnel'),
        since: silence.since,
      },
    ]);
    // Home Assistant takes no longer text.
    for (const { message, action } of reasons)
      expect(Math.max(message.length, action.length)).toBeLessThan(250);
  });

  test.each<[claim: string, change: FactsChange]>([
    [
      'a second less than a day',
      { gateway: { ...silentGateway, silence: { ...silence, providingSeconds: 86_399 } } },
    ],
    [
      'one byte since it was looked up',
      { gateway: { ...silentGateway, forwardedBytes: { up: 600, down: 401 } } },
    ],
    [
      'counters that were not read yet',
      { gateway: { ...silentGateway, forwardedBytes: undefined } },
    ],
    ['no silence', { gateway: { ...silentGateway, silence: undefined } }],
    ['the documented dialect', { gateway: silentGateway, service: { profile: 'documented' } }],
    ['mode none', { gateway: silentGateway, provide: { effective: 'none' } }],
    [
      'a peer that does not answer',
      { gateway: silentGateway, tunnel: { lastHandshakeAt: ago(900) } },
    ],
    ['a stop', { gateway: silentGateway, stoppingSince: ago(1) }],
  ])('is not supposed with %s', (_, change) => {
    expect(listCodes(change)).not.toContain('consumer-tunnel');
  });

  test('never keeps a device from providing, whatever else is true', () => {
    assertLaw(arbitraryFacts, (facts) => {
      const without = judgePhase(
        { ...facts, gateway: { ...facts.gateway, silence: undefined } },
        now,
      );
      const { phase, reasons } = judgePhase(facts, now);
      expect(phase).toBe(without.phase);
      expect(reasons.filter(({ code }) => code !== 'consumer-tunnel')).toEqual(without.reasons);
    });
  });

  test('is named exactly while it provides in the production dialect, a day long, and nothing came', () => {
    const gateway = fc.record({
      silence: fc.record({
        since: fc.constant(silence.since),
        providingSeconds: fc.integer({ min: 86_390, max: 86_410 }),
        totalBytes: fc.constantFrom(0, 1000),
      }),
      forwardedBytes: fc.constantFrom({ up: 0, down: 0 }, { up: 600, down: 400 }),
    });
    const change = fc.record({
      gateway,
      service: fc.record({ profile: fc.constantFrom('documented', 'production') }),
      provide: fc.record({ effective: fc.constantFrom('none', 'friends', 'public') }),
    });
    assertLaw(change, ({ gateway: { silence: own, forwardedBytes }, ...rest }) => {
      const codes = listCodes({ gateway: { silence: own, forwardedBytes }, ...rest });
      const isSilent =
        own.providingSeconds >= 86_400 &&
        own.totalBytes === forwardedBytes.up + forwardedBytes.down &&
        rest.service.profile === 'production' &&
        rest.provide.effective !== 'none';
      expect(codes).toEqual(isSilent ? ['consumer-tunnel'] : []);
    });
  });
});
