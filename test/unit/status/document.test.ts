import { expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { judgePhase } from '../../../src/health/phase.ts';
import { formatValue, readTotal } from '../../../src/health/statistic.ts';
import { statistics } from '../../../src/health/statistics.ts';
import { buildStatusDocument, statusDocument } from '../../../src/status/document.ts';
import { renderStatus } from '../../../src/status/text.ts';
import {
  ago,
  consumersSource,
  createFacts,
  freshFacts,
  now,
  programSource,
  providingFacts,
} from '../../../tools/docs/sample-facts.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { assertLaw } from '../law.ts';

const renderJson = (facts: Parameters<typeof buildStatusDocument>[0]) =>
  `${JSON.stringify(buildStatusDocument(facts, now), null, 2)}\n`;

test('the document of a providing device is version 1, field for field', async () => {
  const facts = createFacts({
    provide: { scheduled: 'friends', override: { mode: 'public', until: ago(-7200) } },
    service: { isReachable: false },
  });
  await expect(renderJson(facts)).toMatchFileSnapshot('../../golden/status-providing.json');
});

test.each(statistics.filter(({ status }) => status !== undefined))(
  '$name is in the status',
  (statistic) => {
    const { section = 'tunnel', field = '', words = '' } = statistic.status ?? {};
    const document = buildStatusDocument(providingFacts, now);
    const value = readTotal(statistic, {
      facts: providingFacts,
      report: judgePhase(providingFacts, now),
      now,
    });
    expect(statusDocument.parse(document)[section]).toHaveProperty(field, value ?? null);
    const text = renderStatus(document, now).map((line) => line.text);
    expect(text.join(' ')).toContain(`${formatValue(value ?? 0, statistic.unit)} ${words}`);
  },
);

test('each source has a row, with what is wrong with it', () => {
  const silent = { ...programSource, life: undefined, silentSince: ago(30) };
  const { sources } = buildStatusDocument(
    createFacts({ sources: [...providingFacts.sources, silent] }),
    now,
  );
  expect(sources).toEqual([
    {
      name: 'wireguard',
      interface: 'tributary0',
      there: true,
      aliveSince: ago(40).toISOString(),
      aliveUntil: ago(-165).toISOString(),
      rxBytes: 200_000_000,
      txBytes: 1_500_000_000,
      consumers: null,
      market: null,
      problem: null,
    },
    {
      name: 'program',
      interface: 'program0',
      there: true,
      aliveSince: null,
      aliveUntil: null,
      rxBytes: 3_000_000_000,
      txBytes: 900_000_000,
      consumers: null,
      market: null,
      problem: expect.objectContaining({
        code: 'source-not-alive',
        since: ago(30).toISOString(),
      }),
    },
  ]);
});

test('what a source counts of its consumers is in its row', () => {
  const { sources } = buildStatusDocument(createFacts({ sources: [consumersSource] }), now);
  expect(sources).toMatchObject([
    {
      name: 'connect',
      consumers: {
        present: 3,
        countedSince: ago(90 * 86_400).toISOString(),
        upBytes: 600_000_000,
        downBytes: 2_900_000_000,
        month: { acceptedContracts: 40, bridgedBytes: 9_000_000 },
        acceptedContracts: 120,
        refusedContracts: { 'bad-signature': 1, 'too-old': 3 },
        unpaidBytes: 1_200_000,
        bridgedBytes: 30_000_000,
        doubtfulBytes: 4_000,
        reportsWaiting: 2,
        sealing: { consumers: 2, handshakes: 31, refusedHandshakes: { 'half-open': 2, proof: 1 } },
      },
    },
  ]);
});

test('what the service counts for payouts is null where it is not known', () => {
  const provided = { paidBytes: 7, unpaidBytes: undefined, at: ago(300) };
  const read = (change: Partial<Facts>) =>
    buildStatusDocument({ ...providingFacts, ...change }, now).provided;
  expect(read({ provided })).toEqual({
    paidBytes: 7,
    unpaidBytes: null,
    at: ago(300).toISOString(),
  });
  expect(read({})).toBeNull();
});

test("how a network's list judges the device is in its source's row", () => {
  const { sources } = buildStatusDocument(createFacts({ sources: [consumersSource] }), now);
  expect(sources[0]?.market).toEqual({
    standing: 'at-risk',
    standingSince: ago(2400).toISOString(),
    expectedAt: null,
    minutes: {
      hour: { valid: 57, known: 60, wanted: 57 },
      halfDay: { valid: 717, known: 720, wanted: 504 },
      week: { valid: 10_070, known: 10_080, wanted: null },
    },
    speedTest: { at: ago(4000).toISOString(), bytesPerSecond: 6_150_000, whole: true },
    latencyTestedAt: ago(4100).toISOString(),
    lastConsumerAt: ago(120).toISOString(),
    seenAs: ['203.0.113.7'],
  });
});

test('a handshake that is too old is no life', () => {
  const { sources } = buildStatusDocument(
    createFacts({ tunnel: { lastHandshakeAt: ago(900) } }),
    now,
  );
  expect(sources).toMatchObject([{ aliveSince: null, problem: { code: 'no-handshake' } }]);
});

test('what is not known yet is null, never left out', async () => {
  await expect(renderJson(freshFacts)).toMatchFileSnapshot('../../golden/status-fresh.json');
});

test('every document survives JSON and reads back the same', () => {
  assertLaw(arbitraryFacts, (facts) => {
    const document = buildStatusDocument(facts, now);
    expect(statusDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
  });
});

test('a field added by a later version does not hinder reading', () => {
  const later = { ...buildStatusDocument(freshFacts, now), weather: 'fine' };
  expect(statusDocument.safeParse(later).success).toBe(true);
});
