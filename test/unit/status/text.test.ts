import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { toStatusDocument } from '../../../src/status/document.ts';
import { renderStatus, toModeParts } from '../../../src/status/text.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { ago, freshFacts, now, providingFacts, toFacts } from '../health/sample-facts.ts';
import { assertLaw } from '../law.ts';

function toText(facts: Facts): string {
  return `${renderStatus(toStatusDocument(facts, now), now)
    .map(({ text }) => text)
    .join('\n')}\n`;
}

const refused = {
  code: 'wireguard-text-refused',
  message:
    'reading the WireGuard text that the service issued: line 4 has the key PostUp, which runs a program; only Address, DNS, MTU and PrivateKey are taken',
  since: ago(125),
} as const;

describe('the status for people', () => {
  test.each([
    { name: 'providing', facts: providingFacts },
    { name: 'fresh', facts: freshFacts },
    {
      name: 'blocked',
      facts: toFacts({ tunnel: { backend: undefined, problem: refused }, gateway: { isOpen: false } }),
    },
  ])('$name looks as agreed', async ({ name, facts }) => {
    await expect(toText(facts)).toMatchFileSnapshot(`../../golden/status-${name}.txt`);
  });

  test('fits 80 columns and holds no control character, whatever the texts are', () => {
    assertLaw(arbitraryFacts, (facts) => {
      for (const { text } of renderStatus(toStatusDocument(facts, now), now)) {
        expect(text.length).toBeLessThanOrEqual(80);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    });
  });
});

describe('the mode line', () => {
  const provide = toStatusDocument(providingFacts, now).provide;
  const friends = { mode: 'friends', until: ago(-7200).toISOString() } as const;
  test.each([
    { change: {}, says: 'public (as configured)' },
    { change: { scheduled: 'none', effective: 'none' }, says: 'none (by the schedule)' },
    {
      change: { override: friends, scheduled: 'none', effective: 'friends' },
      says: 'friends (set by hand for 2 h more)',
    },
    {
      change: { override: { mode: 'stream', until: null }, effective: 'stream' },
      says: 'stream (set by hand until it is cleared)',
    },
    { change: { effective: 'none' }, says: 'none, held by the agent (public is as configured)' },
  ] as const)('says "$says"', ({ change, says }) => {
    expect(toModeParts({ ...provide, ...change }, now)[0]).toBe(says);
  });
});
