import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { describeMode, renderStatus } from '../../../src/status/text.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { ago, createFacts, freshFacts, now, providingFacts } from '../health/sample-facts.ts';
import { assertLaw } from '../law.ts';

function renderText(facts: Facts): string {
  return `${renderStatus(buildStatusDocument(facts, now), now)
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
      facts: createFacts({ tunnel: { backend: undefined, problem: refused }, gateway: { isOpen: false } }),
    },
  ])('$name looks as agreed', async ({ name, facts }) => {
    await expect(renderText(facts)).toMatchFileSnapshot(`../../golden/status-${name}.txt`);
  });

  test('fits 80 columns and holds no control character, whatever the texts are', () => {
    assertLaw(arbitraryFacts, (facts) => {
      for (const { text } of renderStatus(buildStatusDocument(facts, now), now)) {
        expect(text.length).toBeLessThanOrEqual(80);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    });
  });
});

describe('the mode line', () => {
  const provide = buildStatusDocument(providingFacts, now).provide;
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
    expect(describeMode({ ...provide, ...change }, now)[0]).toBe(says);
  });
});
