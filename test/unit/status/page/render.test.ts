import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Facts } from '../../../../src/health/facts.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import { html } from '../../../../src/status/page/html.ts';
import { createPastReader } from '../../../../src/status/page/past.ts';
import { renderPage } from '../../../../src/status/page/render-page.ts';
import { buildView } from '../../../../src/status/page/view.ts';
import type { StatusSource } from '../../../../src/status/source.ts';
import {
  ago,
  consumersSource,
  createFacts,
  freshFacts,
  programSource,
  providingFacts,
} from '../../../../tools/docs/sample-facts.ts';
import { makeSource } from '../../../../tools/docs/sample-source.ts';
import { arbitraryFacts } from '../../health/arbitrary-facts.ts';
import { assertLaw } from '../../law.ts';
import { createHistoryRow, keepRows, makeRecent, sampleHistory } from '../sample-past.ts';

const asset = (name: string) => ({ href: `/page.${name}?v=1`, integrity: `sha256-${name}` });
const assets = {
  style: asset('css'),
  script: asset('js'),
  icon: asset('svg'),
  manifest: asset('webmanifest'),
  nameIcon: (tone: string) => `/page.svg?v=1&tone=${tone}`,
};

beforeAll(() => void vi.stubEnv('TZ', 'UTC'));
afterAll(() => void vi.unstubAllEnvs());

async function render(facts: Facts, more: Partial<StatusSource> = {}): Promise<string> {
  const source = { ...makeSource(facts), ...more };
  const readPast = createPastReader(source, () => 0);
  await readPast();
  // The months before this one are read after the first answer.
  await new Promise(setImmediate);
  return renderPage(buildView(source, await readPast()), assets);
}

const hostile = `<img src=x onerror=alert(1)>"'&</title>\u202e\u0007`;
const refused = {
  code: 'wireguard-text-refused',
  message: `line 4 has ${hostile}`,
  since: ago(125),
} as const;

const midnightMs = Date.parse('2026-03-14T00:00:00Z');
const pause = { code: 'cap-reached', message: 'The cap is reached.', since: ago(60) } as const;
const signedOut = {
  code: 'signed-out',
  message: 'Nothing to sign in with.',
  since: ago(60),
} as const;
const setByHand = (mode: 'none', until: Date | undefined) => ({
  provide: { override: { mode, until }, effective: mode },
  gateway: { isOpen: false },
});

/** The rows of the page that tell where consumers come from, as text. */
const readRows = async (facts: Facts) =>
  (await render(facts)).match(/<dt>(?:Tunnel|Source|Listed|Consumers by).*/g)?.map((row) =>
    row
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

describe('the page for people', () => {
  test.each([
    {
      name: 'providing',
      facts: providingFacts,
      more: { recent: makeRecent(providingFacts), history: sampleHistory },
    },
    {
      name: 'fresh',
      facts: freshFacts,
      more: { pageToken: new Secret('a-token-of-twenty-four-letters') },
    },
    {
      name: 'blocked',
      facts: createFacts({
        tunnel: { backend: undefined, problem: refused },
        gateway: { isOpen: false },
      }),
      more: {},
    },
  ])('$name looks as agreed', async ({ name, facts, more }) => {
    await expect(await render(facts, more)).toMatchFileSnapshot(
      `../../../golden/page-${name}.html`,
    );
  });

  test('has a row for each source where a tunnel is not alone', async () => {
    expect(await readRows(providingFacts)).toEqual([
      'Tunnel tributary0, kernel WireGuard · last handshake 11:59',
    ]);
    const silent = { ...programSource, life: undefined, silentSince: ago(30) };
    expect(
      await readRows({ ...providingFacts, sources: [...providingFacts.sources, silent] }),
    ).toEqual([
      'Tunnel tributary0, kernel WireGuard · last handshake 11:59',
      'Source wireguard tributary0 · answered 11:59 · 200 MB received · 1.50 GB sent',
      'Source program program0 · not alive · 3.00 GB received · 900 MB sent · problem: source-not-alive',
    ]);
    expect(await readRows({ ...providingFacts, sources: [programSource] })).toEqual([
      'Source program program0 · alive since 10:00 · 3.00 GB received · 900 MB sent',
    ]);
  });

  test('says what a source counts of its consumers', async () => {
    const { consumers } = consumersSource;
    const many = consumers && { ...consumers, acceptedContracts: 12_345 };
    const sources = [{ ...consumersSource, consumers: many }];
    expect(await readRows({ ...providingFacts, sources })).toEqual([
      'Source connect tributary-c0 · alive since 10:00 · 3.00 GB received · 900 MB sent',
      'Listed by connect listed, but too many minutes were lost lately · 57 of 60 minutes of the last hour count (57 wanted) · 717 of 720 minutes of the last 12 hours count (504 wanted) · 10,070 of 10,080 minutes of the last 7 days count · speed 49.2 Mbit/s, tested 10:53 · latency tested 10:51 · last consumer 11:58 · seen as 203.0.113.7',
      'Consumers by connect 3 now · 2 sealed and 1 in plaintext · 12,345 contracts accepted · refused: 1 bad-signature, 3 too-old · handshakes refused: 2 half-open, 1 proof · 2 reports waiting',
    ]);
    const page = await render({ ...providingFacts, sources });
    const table = /<table><thead><tr><th scope="col">Traffic by connect.*?<\/table>/s.exec(page);
    const cells = [...(table?.[0] ?? '').matchAll(/<t[hd](?: [^>]*)?>([^<]*)</g)].map(
      ([, cell]) => cell,
    );
    expect(cells).toEqual([
      ...['Traffic by connect', 'In all', 'This month'],
      ...['carried', '3.50 GB', '1.10 GB', 'paid', '3.47 GB', '1.09 GB'],
      ...['bridged, unpaid', '30.0 MB', '9.00 MB', 'lost, unpaid', '1.20 MB', '300 kB'],
      ...['in doubt', '4.00 kB', '1.00 kB', 'overhead', '290 MB', '90.0 MB'],
    ]);
    expect(await render(providingFacts)).not.toContain('Traffic by');
  });

  test('shows texts of strangers as text in every place', async () => {
    const page = await render(
      createFacts({
        registration: { description: hostile, clientId: hostile },
        service: { baseUrl: `https://${hostile}`, lastError: refused, isReachable: false },
        tunnel: { interface: hostile, problem: refused },
        gateway: { uplink: hostile, refusedPackets: { [hostile]: 3 } },
      }),
    );
    expect(page).toContain('&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;&#60;/title&#62;??');
    expect(page).not.toMatch(/<img|[^\P{Cc}\n]|\p{Cf}/u);
    expect(page.match(/<\/title>/g)).toHaveLength(1);
  });

  test('has every element closed and nothing inline, whatever the facts are', () => {
    assertLaw(arbitraryFacts, (facts) => {
      const page = renderPage(buildView(makeSource(facts), undefined), assets);
      // A mark of what a part shows is any letters.
      expect(page.replace(/ data-live="[^"]+"/g, '')).not.toMatch(
        /\sstyle=|\son\w+=|javascript:|undefined|NaN|\[object/,
      );
      for (const name of ['section', 'div', 'dl', 'p', 'main', 'form']) {
        const count = (tag: string) => page.split(tag).length;
        expect(count(`</${name}>`), name).toBe(count(`<${name}>`) + count(`<${name} `) - 1);
      }
    });
  });

  test('says since when it yields to the household, in the zone of the owner', async () => {
    const household = {
      mode: 'first',
      bitsPerSecond: 3_200_000,
      ceilingBitsPerSecond: 20_000_000,
      yieldingSince: ago(3600),
      yields: 1,
      measuredTo: 'first-hop',
      pingProblem: undefined,
    } as const;
    const recent = makeRecent(providingFacts);
    const page = await render(createFacts({ timeZone: 'Asia/Tokyo', provide: { household } }), {
      recent,
    });
    expect(page).toContain(
      'id="yielding">yielding to your household, 3.20 of 20.0 Mbit/s since 20:00</span>',
    );
    expect(page).toContain('20.0 Mbit/s each way (as configured)');
    expect(await render(providingFacts, { recent })).toContain('id="yielding"></span>');
  });

  test('names what a cap counts, and lets a limit be set with the mode', async () => {
    const lineLimit = { bitsPerSecond: 2_500_000, source: 'override' } as const;
    const facts = createFacts({ usage: { counts: 'line' }, provide: { lineLimit } });
    const pageToken = new Secret('a-token-of-twenty-four-letters');
    const page = await render(facts, { pageToken });
    expect(page).toContain('250 GB of 500 GB on your line');
    expect(page).toContain('On your line since 1 Mar');
    expect(page).toContain('data-mode="public" data-limit="2.5"');
    expect(await render(providingFacts, { pageToken })).toContain(
      'data-mode="public" data-limit=""',
    );
  });

  test('shows every time in the zone of schedule and cap, and until when a mode set by hand holds', async () => {
    const override = { mode: 'none', until: ago(-7 * 3600) } as const;
    const facts = createFacts({ timeZone: 'Asia/Tokyo', provide: { override, effective: 'none' } });
    const page = await render(facts, { recent: makeRecent(facts), history: sampleHistory });
    expect(page).toContain('Paused by you until 15 Mar, 04:00');
    expect(page).toContain(
      'As of <time id="now" datetime="2026-03-14T12:00:00.000Z">21:00:00</time>',
    );
    expect(page).toContain(
      'Times are those of Asia/Tokyo (UTC+9).<span id="tomorrow" data-at="1773500400000">',
    );
    expect(page).toContain('Days are counted by UTC, as the service counts them: from 09:00.');
    expect(page).toMatch(/<svg class="axis" aria-hidden="true"><text [^>]*>22:00<\/text>/);
  });

  test('holds what the service said of a day against ours only when that day is over', async () => {
    const startMs = Date.parse('2026-03-14T00:00:00Z');
    const day = (daysAgo: number, upBytes: number, serviceBytes: number) =>
      createHistoryRow(startMs - daysAgo * 86_400_000, {
        providingSeconds: 1,
        upBytes,
        serviceBytes,
      });
    const page = await render(providingFacts, {
      history: keepRows({ hour: [], day: [day(1, 2048, 1024), day(0, 4096, 1)] }),
    });
    expect(page).toContain('6.14 kB here. The service counted 1.02 kB of 2.05 kB: 50 % less.');
    expect(page).toContain('The service counted 1.02 kB of 2.05 kB: 50&nbsp;% less.</span>');
    expect(page).toContain('<td>1 B</td><td></td>');
  });

  test.each([
    ['providing', {}, 'good', 'Sharing with everyone'],
    ['in another mode', { provide: { effective: 'friends' } }, 'good', 'Sharing with friends'],
    ['paused by hand', setByHand('none', ago(-3600)), 'plain', 'Paused by you until 13:00'],
    ['paused without an end', setByHand('none', undefined), 'plain', 'Paused by you'],
    [
      'paused by the schedule',
      { provide: { scheduled: 'none', effective: 'none' } },
      'plain',
      'Paused by your schedule',
    ],
    [
      'never meant to share',
      { provide: { configured: 'none', effective: 'none' } },
      'plain',
      'Not sharing',
    ],
    [
      'without forwarding',
      { gateway: { isEnabled: false, isOpen: false } },
      'plain',
      'Forwarding is switched off',
    ],
    [
      'at its cap',
      { provide: { pause }, gateway: { isOpen: false } },
      'warning',
      'Cap reached: paused until 1 Apr, 00:00',
    ],
    [
      'without an uplink',
      { gateway: { uplinkMissingSince: ago(9) } },
      'warning',
      'No Internet connection',
    ],
    ['without an answer', { tunnel: { lastHandshakeAt: undefined } }, 'warning', 'Connecting'],
    ['signed out', { signInProblem: signedOut, registration: undefined }, 'bad', 'Signed out'],
    ['stopping', { stoppingSince: ago(1) }, 'warning', 'Stopping'],
  ] as const)(
    '%s: the state is a sentence, and the only one',
    async (_what, change, tone, title) => {
      const page = await render(createFacts(change));
      expect(
        [...page.matchAll(/<h2 class="state (\w+)">[^/]*<\/span> ([^<]*)</g)].map(
          ([, ...found]) => found,
        ),
      ).toEqual([
        ['plain', 'Unknown since '],
        [tone, title],
      ]);
      expect(page).toContain(`<title id="title">${title}: `);
      if (tone !== 'good') expect(page).not.toMatch(/class="state good"|All is well/);
    },
  );

  test('makes commands of what is to be typed, and says where', async () => {
    const page = await render(createFacts({ signInProblem: signedOut, registration: undefined }));
    expect(page).toContain(
      'Sign in, on the device: <span class="command"><code>sudo tributary login</code><button',
    );
  });

  test.each([
    [undefined, true],
    ['outside-unknown', false],
  ] as const)(
    'with the note %s it claims that the home is out of reach: %s',
    async (code, claims) => {
      const outsideProblem = code && {
        code,
        message: "Your connection's public address is not known.",
        since: ago(60),
      };
      const page = await render(createFacts({ gateway: { outsideProblem } }));
      expect(page.includes('out of reach')).toBe(claims);
    },
  );

  test('counts from the hour that the ledger begins with, also after a restart', async () => {
    const first = createHistoryRow(Date.parse('2026-03-14T11:00:00Z'), { upBytes: 5e8 });
    const history = keepRows({ hour: [first], day: [{ ...first, startMs: midnightMs }] });
    const page = await render(createFacts({ startedAt: ago(600) }), { history });
    expect(page).toContain('Transfer since 11:00');
  });

  test('fills the live chart with what was measured, and says since when', async () => {
    const all = makeRecent(providingFacts);
    const readings = all.readings().slice(-9);
    const page = await render(providingFacts, { recent: { ...all, readings: () => readings } });
    expect(page).toContain('id="speed-since">2 min ago<');
    const line = /id="line-down" d="M-9 109V[\d.]+h9((?:l[\d.]+ -?\d+)+)h9V109"/.exec(page)?.[1];
    const widths = [...(line ?? '').matchAll(/l([\d.]+) /g)].map(([, width]) => Number(width));
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(580, 0);
  });

  test('says who is served now where a source can tell, else how many connections are open', async () => {
    const page = await render({ ...providingFacts, sources: [consumersSource] });
    expect(page).toContain(
      '<dt>Consumers now</dt><dd><b>3</b> <span class="note">318 connections</span><span class="note">5 consumers in the last',
    );
    expect(await render(providingFacts)).toContain('<dt>Connections now</dt><dd><b>318</b>');
    // What is left of the agent's own while nothing is shared is nobody's.
    const idle = createFacts({ tunnel: { lastHandshakeAt: undefined } });
    expect(await render(idle)).toContain('<dt>Connections now</dt><dd><b>0</b>');
  });

  test('tells one figure of the month where the cap counts the same bytes, and until when it counted', async () => {
    const history = { history: sampleHistory };
    const page = await render(providingFacts, history);
    expect(page).toContain('<span class="note">250 GB of 500 GB</span>');
    expect(page).toContain('<span class="note">250 GB this month</span>');
    expect(page).toContain('counted until 12:00');
    const byLine = await render(createFacts({ usage: { counts: 'line' } }), history);
    expect(byLine).toContain('<span class="note">264 GB this month</span>');
  });

  test('tells what was earned in all and what is due', async () => {
    const provided = { paidBytes: 1e12, unpaidBytes: 12e9, at: ago(60) };
    const page = await render(createFacts({ provided }));
    expect(page).toContain('48.20 USDC since 2&nbsp;Nov 2025');
    expect(page).toContain('12.0 GB of all your devices not paid yet');
  });

  test('has a risk beside each mode, and asks before strangers are let in', async () => {
    const pageToken = new Secret('a-token-of-twenty-four-letters');
    const page = await render(providingFacts, { pageToken });
    const modes = [...page.matchAll(/name="mode" value="(\w+)"( data-open)?/g)];
    expect(modes.map(([, mode, isOpen]) => `${mode}${isOpen ?? ''}`)).toEqual([
      ...['none', 'network', 'friends', 'public data-open', 'stream data-open'],
      'default data-open',
    ]);
    expect(page).toContain('strangers use your address');
  });

  test('shows a young device what it has, and no empty chart', async () => {
    const first = createHistoryRow(Date.parse('2026-03-14T10:00:00Z'), {
      upBytes: 5e8,
      providingSeconds: 2100,
    });
    const facts = createFacts({ startedAt: new Date('2026-03-14T10:25:00Z') });
    const page = await render(facts, {
      history: keepRows({ hour: [first], day: [{ ...first, startMs: midnightMs }] }),
    });
    expect(page).toContain('Transfer since 10:00');
    expect(page.match(/class="bars"/g)).toHaveLength(1);
    expect(page).not.toMatch(/class="strip"|name="range"/);
  });

  test('has no column about which no row says anything', async () => {
    const day = (daysAgo: number) =>
      createHistoryRow(midnightMs - daysAgo * 86_400_000, { upBytes: 1 });
    const page = await render(providingFacts, {
      history: keepRows({ hour: [], day: [day(2), day(1), day(0)] }),
    });
    expect(page).toContain('<th scope="col">To the Internet</th>');
    expect(page).not.toMatch(/By the service|Difference|Online by/);
  });

  test('says when the cap will be reached, what was earned, and what was kept out of the home', async () => {
    const page = await render(
      createFacts({
        usage: { reachedAt: new Date('2026-03-26T00:00:00Z') },
        earned: {
          last24hUsdc: 0.0084,
          monthUsdc: 0.31,
          totalUsdc: undefined,
          totalSince: undefined,
          at: ago(2400),
        },
        gateway: {
          refusedPackets: { 'own-network': 1300, 'device-itself': 11, 'blocked-port': 7 },
        },
      }),
    );
    expect(page).toContain('at this pace reached on 26&nbsp;Mar');
    expect(page).toContain('<b>0.0084 USDC</b> <span class="note">0.3100 USDC this month</span>');
    expect(page).toContain('<b>1,311</b> <span class="note">packets into your network</span>');
    expect(page).toContain('7 more refused for other reasons');
  });

  test('names what opens its buttons where nothing does', async () => {
    expect(await render(providingFacts)).toContain('TRIBUTARY_STATUS_TOKEN_FILE');
    expect(await render(providingFacts)).not.toMatch(/data-order|type="password"/);
  });

  test('shows the rest where the ledger cannot be read', async () => {
    const page = await render(providingFacts, { history: () => Promise.reject(new Error('torn')) });
    expect(page).toContain('Providing');
    expect(page).toContain('report.ledger');
  });
});

test('a template escapes what it is handed, and takes its own work as it is', () => {
  expect(
    html`<p title="${'"'}">${'<b>'}${html`<b>${1}</b>`}${[html`<i>`, html`</i>`]}${undefined}</p>`
      .html,
  ).toBe('<p title="&#34;">&#60;b&#62;<b>1</b><i></i></p>');
});
