import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, describe, expect, test } from 'vitest';
import type { Facts } from '../../src/health/facts.ts';
import { ago, createFacts, freshFacts } from '../unit/health/sample-facts.ts';
import { busyFacts, createLaunch, hasBrowser, openPage, pageToken, screens } from './page-world.ts';

const { launched, close } = createLaunch();

afterAll(close);

/** Pictures to look at; those of config/ are made from here. */
const shots = join(tmpdir(), 'tributary-page');

const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>"'&`;

const situations: Readonly<Record<string, Facts>> = {
  providing: busyFacts,
  fresh: freshFacts,
  blocked: createFacts({
    tunnel: { backend: undefined, problem: { code: 'wireguard-text-refused', message: hostile, since: ago(125) } },
    gateway: { isOpen: false, refusedPackets: { [hostile]: 1 } },
  }),
};

const looks = Object.entries(screens).flatMap(([screen, options]) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    Object.entries(situations)
      // What differs there is text: once is enough.
      .filter(([situation]) => situation === 'providing' || (screen === 'phone' && colorScheme === 'light'))
      .map(([situation, facts]) => ({ screen, options, colorScheme, situation, facts })),
  ),
);

describe.skipIf(!hasBrowser)('the page in a browser', () => {
  test.each(looks)('$situation on a $screen in $colorScheme hinders nobody', async (look) => {
    const { screen, situation, options, colorScheme, facts } = look;
    await using world = await openPage(launched, { ...options, colorScheme }, { facts });
    const { page } = world;
    await page.screenshot({ path: join(shots, `${situation}-${screen}-${colorScheme}.png`), fullPage: true });
    for (const summary of await page.locator('summary').all()) await summary.click();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, impact, nodes }) => [id, impact, nodes.map(({ html }) => html)])).toEqual([]);
    // Nothing is wider than the screen: what is, scrolls by itself.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.locator('img').count()).toBe(0);
    expect(world.complaints).toEqual([]);
    expect(world.asked.filter((address) => !address.startsWith(`${world.origin}/`))).toEqual([]);
  });

  test('follows what the agent does, and says a change of the phase once', async () => {
    await using world = await openPage(launched, screens.desktop);
    const { page, fixture } = world;
    const region = page.locator('#live-phase');
    await page.evaluate(`
      window.changes = 0;
      new MutationObserver(() => { window.changes += 1; }).observe(document.getElementById('live-phase'), { childList: true });
    `);
    const details = page.locator('details').first();
    await details.locator('summary').click();
    await world.nextLook();
    expect(await page.evaluate('window.changes')).toBe(0);
    fixture.state.facts = createFacts({ tunnel: { lastHandshakeAt: undefined } }, busyFacts);
    await world.nextLook();
    await region.getByText('Connecting').waitFor();
    await world.nextLook();
    expect(await page.evaluate('window.changes')).toBe(1);
    expect(await page.title()).toContain('Connecting');
    expect(await details.getAttribute('open')).not.toBeNull();
  });

  test('says when the agent no longer answers, and goes on when it does', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page } = world;
    await page.route('**/*', (route) => route.abort());
    await world.look();
    await page.getByText('The agent has not answered since').waitFor();
    await page.unroute('**/*');
    await world.nextLook();
    await page.locator('#silence').waitFor({ state: 'hidden' });
  });

  test('asks nothing while nobody looks', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page } = world;
    await world.nextLook();
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    const before = world.asked.length;
    await page.clock.fastForward(600_000);
    expect(world.asked.length).toBe(before);
    const asked = page.waitForResponse(`${world.origin}/`);
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: false, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await asked;
  });

  test('pauses and goes on by keyboard alone, with the token typed once', async () => {
    await using world = await openPage(launched, screens.desktop);
    const { page, fixture } = world;
    await world.tabTo('#token');
    await page.keyboard.type(pageToken);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Pause for 1 hour');
    await page.keyboard.press('Enter');
    await page.getByText('Done: the mode is none until').waitFor();
    await page.locator('#live-phase').getByText('Idle').waitFor();
    await world.tabTo('[data-mode="auto"]');
    await page.keyboard.press('Space');
    await page.getByText('Done: the schedule and the configuration decide again.').waitFor();
    await world.tabTo('#mode');
    await page.keyboard.type('friends');
    await world.tabTo('#choose button');
    await page.keyboard.press('Enter');
    await page.getByText('Done: the mode is friends until it is cleared.').waitFor();
    expect(fixture.state.commands).toEqual([
      ['none', 3600],
      ['cleared', undefined],
      ['friends', undefined],
    ]);
    expect(world.complaints).toEqual([]);
  });

  test("shows times of the owner's zone and pauses until its midnight, wherever the reader is", async () => {
    const facts = { ...busyFacts, timeZone: 'Asia/Kolkata' };
    await using world = await openPage(launched, { ...screens.phone, timezoneId: 'America/New_York' }, { facts });
    const { page } = world;
    await page.getByText('As of 17:30:00. Times are those of Asia/Kolkata (UTC+5:30).').waitFor();
    await world.unlock(pageToken);
    await page.getByText('Pause until tomorrow').click();
    await page.getByText('Done: the mode is none until 15 Mar, 00:00.').waitFor();
    expect(world.fixture.state.commands).toEqual([['none', 6.5 * 3600]]);
    await page.route('**/*', (route) => route.abort());
    await world.look();
    await page.getByText('The agent has not answered since 17:30:00.').waitFor();
  });

  test('forgets a token that is none, and asks for it again', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page, fixture } = world;
    await world.unlock('not-the-token-of-this-page');
    await page.getByText('Pause for 1 hour').click();
    await page.getByText('This is not the token.').waitFor();
    expect(await page.locator('#token').isVisible()).toBe(true);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(fixture.state.commands).toEqual([]);
  });

  test('shows where the keyboard is, at every stop', async () => {
    await using world = await openPage(launched, screens.desktop);
    await world.unlock(pageToken);
    const stops = await world.listTabStops();
    expect(stops.length).toBeGreaterThan(10);
    expect(stops.filter(({ outlineWidth }) => outlineWidth !== '3px')).toEqual([]);
  });

  test('reads without a script, and hides what needs one', async () => {
    await using world = await openPage(launched, { ...screens.phone, javaScriptEnabled: false });
    const { page } = world;
    expect(await page.locator('#live-phase').innerText()).toContain('Providing');
    expect(await page.locator('button:visible').count()).toBe(0);
    expect(await page.locator('noscript p').isVisible()).toBe(true);
  });

  test('another site can neither read it nor give it an order', async () => {
    await using world = await openPage(launched, screens.desktop);
    const { page, origin, fixture } = world;
    await page.route('http://evil.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>evil</title>' }),
    );
    await page.goto('http://evil.example/');
    const outcome = await page.evaluate(`(async () => {
      const ask = (path, options) => fetch('${origin}' + path, options).then(() => 'answered', () => 'refused');
      const order = { method: 'POST', body: '{"mode":"none"}' };
      const authorization = { Authorization: 'Bearer ${pageToken}', 'Content-Type': 'application/json' };
      await ask('/provide', { ...order, mode: 'no-cors' });
      return [
        await ask('/status.json'),
        await ask('/provide', { ...order, headers: authorization }),
        await ask('/provide', { ...order, mode: 'no-cors', headers: authorization }),
      ];
    })()`);
    expect(outcome).toContain('refused');
    expect(fixture.state.commands).toEqual([]);
  });
});
