import { expect, test } from 'vitest';
import { statusDocument, toStatusDocument } from '../../../src/status/document.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { ago, freshFacts, now, toFacts } from '../health/sample-facts.ts';
import { assertLaw } from '../law.ts';

const toJsonText = (facts: Parameters<typeof toStatusDocument>[0]) =>
  `${JSON.stringify(toStatusDocument(facts, now), null, 2)}\n`;

test('the document of a providing device is version 1, field for field', async () => {
  const facts = toFacts({
    provide: { scheduled: 'friends', override: { mode: 'public', until: ago(-7200) } },
    service: { isReachable: false },
  });
  await expect(toJsonText(facts)).toMatchFileSnapshot('../../golden/status-providing.json');
});

test('what is not known yet is null, never left out', async () => {
  await expect(toJsonText(freshFacts)).toMatchFileSnapshot('../../golden/status-fresh.json');
});

test('every document survives JSON and reads back the same', () => {
  assertLaw(arbitraryFacts, (facts) => {
    const document = toStatusDocument(facts, now);
    expect(statusDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
  });
});

test('a field added by a later version does not hinder reading', () => {
  const later = { ...toStatusDocument(freshFacts, now), weather: 'fine' };
  expect(statusDocument.safeParse(later).success).toBe(true);
});
