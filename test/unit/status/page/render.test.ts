import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Facts } from '../../../../src/health/facts.ts';
import { html } from '../../../../src/status/page/html.ts';
import { createPastReader } from '../../../../src/status/page/past.ts';
import { renderPage } from '../../../../src/status/page/render-page.ts';
import { buildView } from '../../../../src/status/page/view.ts';
import type { StatusSource } from '../../../../src/status/source.ts';
import { arbitraryFacts } from '../../health/arbitrary-facts.ts';
import { ago, createFacts, freshFacts, providingFacts } from '../../health/sample-facts.ts';
import { assertLaw } from '../../law.ts';
import { createHistoryRow, makeRecent, sampleHistory } from '../sample-past.ts';
import { makeSource } from '../status-fixture.ts';

const integrity = { style: 'sha256-style', script: 'sha256-script' };

beforeAll(() => void vi.stubEnv('TZ', 'UTC'));
afterAll(() => void vi.unstubAllEnvs());

async function render(facts: Facts, more: Partial<StatusSource> = {}): Promise<string> {
  const source = { ...makeSource(facts), ...more };
  return renderPage(buildView(source, await createPastReader(source, () => 0)()), integrity);
}

const hostile = `<img src=x onerror=alert(1)>"'&</title>\u202e\u0007`;
const refused = { code: 'wireguard-text-refused', message: `line 4 has ${hostile}`, since: ago(125) } as const;

describe('the page for people', () => {
  test.each([
    { name: 'providing', facts: providingFacts, more: { recent: makeRecent(providingFacts), history: sampleHistory } },
    { name: 'fresh', facts: freshFacts, more: {} },
    {
      name: 'blocked',
      facts: createFacts({ tunnel: { backend: undefined, problem: refused }, gateway: { isOpen: false } }),
      more: {},
    },
  ])('$name looks as agreed', async ({ name, facts, more }) => {
    await expect(await render(facts, more)).toMatchFileSnapshot(`../../../golden/page-${name}.html`);
  });

  test('shows texts of strangers as text, wherever they stand', async () => {
    const page = await render(
      createFacts({
        registration: { description: hostile, clientId: hostile },
        service: { baseUrl: `https://${hostile}`, lastError: refused, isReachable: false },
        tunnel: { interface: hostile, problem: refused },
        gateway: { uplink: hostile, refusedPackets: { [hostile]: 3 } },
      }),
    );
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;&lt;/title&gt;??');
    expect(page).not.toMatch(/<img|[^\P{Cc}\n]|\p{Cf}/u);
    expect(page.match(/<\/title>/g)).toHaveLength(1);
  });

  test('has every element closed and nothing inline, whatever the facts are', () => {
    assertLaw(arbitraryFacts, (facts) => {
      const page = renderPage(buildView(makeSource(facts), undefined), integrity);
      expect(page).not.toMatch(/\sstyle=|\son\w+=|javascript:|undefined|NaN|\[object/);
      for (const name of ['section', 'div', 'dl', 'p', 'main', 'form']) {
        const count = (tag: string) => page.split(tag).length;
        expect(count(`</${name}>`), name).toBe(count(`<${name}>`) + count(`<${name} `) - 1);
      }
    });
  });

  test('shows every time in the zone of schedule and cap, and until when a mode set by hand holds', async () => {
    const override = { mode: 'none', until: ago(-7 * 3600) } as const;
    const facts = createFacts({ timeZone: 'Asia/Tokyo', provide: { override, effective: 'none' } });
    const page = await render(facts, { recent: makeRecent(facts), history: sampleHistory });
    expect(page).toContain('begins anew <time datetime="2026-04-01T00:00:00.000Z">1 Apr, 09:00</time>');
    expect(page).toContain('<dt>Set by hand until</dt><dd><time datetime="2026-03-14T19:00:00.000Z">15 Mar, 04:00<');
    expect(page).toContain('data-to-tomorrow="10800">21:00:00</time>. Times are those of Asia/Tokyo (UTC+9).');
    expect(page).toContain('Days are counted by UTC, as the service counts them: from 09:00 to 09:00.');
    expect(page).toMatch(/<p class="axis" aria-hidden="true"><span>22:00<\/span><span>21:00<\/span>/);
  });

  test('holds what the service said of a day against ours only when that day is over', async () => {
    const startMs = Date.parse('2026-03-14T00:00:00Z');
    const day = (daysAgo: number, upBytes: number, serviceBytes: number) =>
      createHistoryRow(startMs - daysAgo * 86_400_000, { providingSeconds: 1, upBytes, serviceBytes });
    const page = await render(providingFacts, {
      history: ({ unit }) => (unit === 'day' ? [day(1, 2048, 1024), day(0, 4096, 1)] : []),
    });
    expect(page).toContain('6.14 kB here. The service counted 1.02 kB of 2.05 kB: 50 % less.');
    expect(page).toContain('The service counted 1.02 kB of 2.05 kB: 50 % less.</span>');
    expect(page).toContain('<td>not over yet</td>');
  });

  test('names what opens its buttons where nothing does', async () => {
    expect(await render(providingFacts)).toContain('TRIBUTARY_STATUS_TOKEN_FILE');
    expect(await render(providingFacts)).not.toContain('<button');
  });

  test('shows the rest where the ledger cannot be read', async () => {
    const page = await render(providingFacts, { history: () => Promise.reject(new Error('torn')) });
    expect(page).toContain('Providing');
    expect(page).toContain('report.ledger');
  });
});

test('a template escapes what it is handed, and takes its own work as it is', () => {
  expect(html`<p title="${'"'}">${'<b>'}${html`<b>${1}</b>`}${[html`<i>`, html`</i>`]}${undefined}</p>`.html).toBe(
    '<p title="&quot;">&lt;b&gt;<b>1</b><i></i></p>',
  );
});
