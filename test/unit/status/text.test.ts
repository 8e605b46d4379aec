import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { noFigures, noSums } from '../../../src/source/connect/consumer-figures.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { describeLine, describeMode, renderStatus } from '../../../src/status/text.ts';
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
      facts: createFacts({
        tunnel: { backend: undefined, problem: refused },
        gateway: { isOpen: false },
      }),
    },
  ])('$name looks as agreed', async ({ name, facts }) => {
    await expect(renderText(facts)).toMatchFileSnapshot(
      `../../../tools/docs/printed/status-${name}.txt`,
    );
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

describe('the first line', () => {
  const sayFirst = (provide: Partial<Facts['provide']>) => {
    const facts = createFacts({ provide: { effective: 'none', override: undefined, ...provide } });
    return renderText(facts).split('\n')[0];
  };

  test.each([
    [
      { override: { mode: 'none', until: new Date(now.getTime() + 7_200_000) } },
      'paused by you, for 2 h more',
    ],
    [{ override: { mode: 'none', until: undefined } }, 'paused by you'],
    [{ scheduled: 'none' }, 'paused by your schedule'],
    [{ scheduled: undefined, configured: 'none' }, 'idle'],
  ] as const)('says of %j: %s', (provide, said) => {
    expect(sayFirst(provide)).toBe(`Tributary is ${said}`);
  });

  test('names no pause where forwarding is switched off', () => {
    const override = { mode: 'none', until: undefined } as const;
    const facts = createFacts({
      provide: { effective: 'none', override },
      gateway: { isEnabled: false, isOpen: false },
    });
    expect(renderText(facts).split('\n')[0]).toBe('Tributary is idle');
  });
});

describe('the lines of the sources', () => {
  const [tunnel = programSource] = providingFacts.sources;
  const silent = { ...programSource, life: undefined, silentSince: ago(30) };
  const wide = (facts: Facts) => renderText(facts).replaceAll(/\n {10}(?=\S)/g, '\n+ ');

  test('are not there for a lone tunnel, whose own line says all', () => {
    expect(renderText(providingFacts)).not.toContain('Sources');
  });

  test('stand below the tunnel where it is not alone', () => {
    const text = wide(createFacts({ sources: [tunnel, programSource] }));
    expect(text).toContain(
      [
        'Tunnel    tributary0 (kernel) to 198.51.100.1:51820, handshake 40 s ago,',
        '+ 200 MB received, 1.50 GB sent',
        'Sources   wireguard on tributary0, answered 40 s ago, 200 MB received,',
        '+ 1.50 GB sent',
        '+ program on program0, alive for 2 h, 3.00 GB received, 900 MB sent',
        'Gateway',
      ].join('\n'),
    );
  });

  test('are followed by what is counted of consumers, without what never occurred', () => {
    const text = wide(createFacts({ sources: [tunnel, consumersSource] }));
    expect(text).toContain(
      [
        '3.00 GB received, 900 MB sent',
        'Listed    listed, but too many minutes were lost lately,',
        '+ 57 of 60 minutes of the last hour count (57 wanted),',
        '+ 717 of 720 minutes of the last 12 hours count (504 wanted),',
        '+ 10070 of 10080 minutes of the last 7 days count,',
        '+ speed 49.2 Mbit/s, tested 1 h 6 min ago, latency tested 1 h 8 min ago,',
        '+ last consumer 2 min ago, seen as 203.0.113.7',
        'Consumers 3 now, 2 sealed and 1 in plaintext, 120 contracts accepted,',
        '+ refused: 1 bad-signature, 3 too-old,',
        '+ handshakes refused: 2 half-open, 1 proof, 2 reports waiting',
        'Traffic                         in all    this month',
        '+ carried              3.50 GB       1.10 GB',
        '+ paid                 3.47 GB       1.09 GB',
        '+ bridged, unpaid      30.0 MB       9.00 MB',
        '+ lost, unpaid         1.20 MB        300 kB',
        '+ in doubt             4.00 kB       1.00 kB',
        '+ overhead              290 MB       90.0 MB',
        'Gateway',
      ].join('\n'),
    );
    const fresh = {
      ...consumersSource,
      consumers: { ...noFigures, countedSince: undefined, month: noSums },
      market: undefined,
    };
    const early = wide(createFacts({ sources: [fresh] }));
    expect(early).toContain('\nConsumers 0 now, 0 contracts accepted\nTraffic');
    expect(early).not.toContain('Listed');
    expect(renderText(providingFacts)).not.toContain('Consumers');
  });

  test.each([
    ['listed', 'listed, as far as this device can tell,'],
    ['waiting', 'not listed yet, expected in 1 h,'],
    ['dropped', 'not listed: too many minutes were lost, expected in 1 h,'],
    ['offline', 'not listed: not connected,'],
    ['own-network', 'not offered to strangers, by the mode,'],
    ['nobody', 'offered to nobody, by the mode,'],
  ] as const)('say whether consumers find the device: %s', (standing, words) => {
    const isExpected = standing === 'waiting' || standing === 'dropped';
    const market = consumersSource.market && {
      ...consumersSource.market,
      standing,
      expectedAt: isExpected ? ago(-3600) : undefined,
      speedTest: undefined,
      latencyTestedAt: undefined,
      lastConsumerAt: undefined,
    };
    const text = wide(createFacts({ sources: [{ ...consumersSource, market }] }));
    expect(text).toContain(`Listed    ${words}`);
    expect(text.replaceAll(/\n\+/g, '')).toContain(
      'speed not tested yet, latency not tested yet, no consumer yet, seen as 203.0.113.7',
    );
    const facts = createFacts({ sources: [{ ...consumersSource, market }] });
    const unknown = { ...facts, gateway: { ...facts.gateway, outsideAddresses: undefined } };
    expect(wide(unknown)).toContain('public address not known');
  });

  test('are followed by what the service counts for payouts, where it says so', () => {
    const provided = { paidBytes: 2_100_000_000, unpaidBytes: 300_000_000, at: ago(300) };
    const said = wide({ ...createFacts({ sources: [consumersSource] }), provided });
    expect(said.replaceAll(/\n\+/g, '')).toContain(
      'Provided  2.10 GB paid out, 300 MB not paid out yet, for all your devices, by the service',
    );
    const half = wide({ ...providingFacts, provided: { ...provided, paidBytes: undefined } });
    expect(half).toContain(
      'Provided  300 MB not paid out yet, for all your devices, by the service',
    );
    expect(renderText(providingFacts)).not.toContain('Provided');
  });

  test('stand in the place of a tunnel that is no source here', () => {
    const text = wide(createFacts({ sources: [programSource] }));
    expect(text).not.toContain('Tunnel');
    expect(text).toContain('Sources   program on program0, alive for 2 h');
  });

  test('say what is wrong with each', () => {
    const lacking = {
      ...tunnel,
      shortfall: { code: 'no-ipv6', message: 'no IPv6', since: ago(9) },
    } as const;
    const text = wide(createFacts({ sources: [lacking, silent] }));
    expect(text).toMatch(/wireguard on tributary0, .*\n\+ .*problem: no-ipv6/);
    expect(text).toMatch(/program on program0, not alive, .*\n\+ .*problem: source-not-alive/);
    const gone = createFacts({ sources: [{ ...silent, isThere: false, traffic: undefined }] });
    expect(wide(gone)).toContain('Sources   program on program0, not there\n');
  });
});

describe('the limit line', () => {
  const { provide } = buildStatusDocument(providingFacts, now);
  const yieldingSince = new Date(2026, 2, 14, 20, 14).toISOString();
  const yielding = {
    ...provide.household,
    bitsPerSecond: 3_200_000,
    ceilingBitsPerSecond: 20_000_000,
    yieldingSince,
  };
  const off = { ...provide.household, mode: 'off' } as const;
  test.each<readonly [Partial<typeof provide>, readonly string[]]>([
    [{}, ['20.0 Mbit/s each way (as configured)', 'your household goes first']],
    [
      { lineLimit: { bitsPerSecond: 8_500_000, source: 'schedule' } },
      ['8.50 Mbit/s each way (by the schedule)', 'your household goes first'],
    ],
    [
      { lineLimit: { bitsPerSecond: 95e6, source: 'override' }, household: off },
      ['95.0 Mbit/s each way (set by hand)', ''],
    ],
    [{ lineLimit: null, household: off }, ['none', '']],
    [
      { household: yielding },
      [
        '20.0 Mbit/s each way (as configured)',
        'yielding to your household, 3.20 of 20.0 Mbit/s since 20:14',
      ],
    ],
    [
      {
        lineLimit: null,
        household: { ...yielding, bitsPerSecond: 800_000, ceilingBitsPerSecond: null },
      },
      ['none', 'yielding to your household, 800 kbit/s since 20:14'],
    ],
    [
      { household: { ...yielding, bitsPerSecond: 800_000 } },
      [
        '20.0 Mbit/s each way (as configured)',
        'yielding to your household, 800 kbit/s of 20.0 Mbit/s since 20:14',
      ],
    ],
    [
      { household: { ...yielding, yieldingSince: null } },
      ['20.0 Mbit/s each way (as configured)', 'your household goes first'],
    ],
  ])('of %j says so', (change, says) => {
    expect(describeLine({ ...provide, ...change })).toEqual(says);
  });

  test('and the cap say where they count as on the line', () => {
    expect(renderText(createFacts({ usage: { counts: 'line' } }))).toContain(
      '250 GB of 500 GB on your line',
    );
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

  test.each([
    ['public', 'confirmed by the service'],
    ['none', 'nothing passes; the service is being told'],
    ['friends', 'the service has public, and is told within a minute'],
  ] as const)('tells what the service has while %s is in force', (effective, says) => {
    expect(describeMode({ ...provide, effective, confirmed: 'public' }, now)[2]).toBe(says);
  });
});
