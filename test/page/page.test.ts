import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, describe, expect, test } from 'vitest';
import { TributaryError } from '../../src/errors/codes.ts';
import { createFacts } from '../../tools/docs/sample-facts.ts';
import {
  busyFacts,
  createLaunch,
  hasBrowser,
  openPage,
  pageToken,
  screens,
  typeToken,
} from './page-world.ts';
import { makesPictures, takePicture } from './pictures.ts';
import { pageStates } from './states.ts';

const { launched, close } = createLaunch();

afterAll(close);

const looks = (['desktop', 'phone'] as const).flatMap((screen) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    Object.entries(pageStates)
      // Each state is looked at twice; four times where pictures are made.
      .filter(
        ([name]) =>
          makesPictures ||
          name === 'providing' ||
          (screen === 'phone') === (colorScheme === 'dark'),
      )
      .map(([name, state]) => ({ name, state, screen, options: screens[screen], colorScheme })),
  ),
);

describe.skipIf(!hasBrowser)('the page in a browser', () => {
  test.each(looks)('$name on a $screen in $colorScheme hinders nobody', async (look) => {
    const { name, state, options, colorScheme } = look;
    await using world = await openPage(launched, { ...options, colorScheme }, state);
    const { page } = world;
    await state.bring?.(world);
    await takePicture(page, look);
    // Nothing is wider than the screen: wide tables scroll inside their own box.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    // The state, and the live chart where something is measured, are seen without scrolling.
    const seen = await page.locator('section').first().boundingBox();
    expect((seen?.y ?? 0) + (seen?.height ?? 0)).toBeLessThan(options.viewport.height);
    for (const summary of await page.locator('main summary:visible').all()) await summary.click();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(
      violations.map(({ id, impact, nodes }) => [id, impact, nodes.map(({ html }) => html)]),
    ).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
    expect(
      world.complaints.filter(
        (text) => name !== 'silent' || !/ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(text),
      ),
    ).toEqual([]);
    expect(world.asked.filter((address) => !address.startsWith(`${world.origin}/`))).toEqual([]);
  });

  test("has state, rate, earnings and cap on a phone's first screen", async () => {
    await using world = await openPage(launched, screens.phone);
    const { page } = world;
    for (const text of ['Sharing with everyone', 'back to consumers', 'Earned in 24', 'Data cap']) {
      const box = await page.getByText(text).first().boundingBox();
      expect(box, text).not.toBeNull();
      expect((box?.y ?? 0) + (box?.height ?? 0), text).toBeLessThan(screens.phone.viewport.height);
    }
    const figure = await page.locator('.cards b').nth(1).boundingBox();
    expect(figure?.y).toBeLessThan(screens.phone.viewport.height);
  });

  test('follows what the agent does, and says a change of the state once', async () => {
    await using world = await openPage(launched, screens.desktop);
    const { page, fixture } = world;
    await page.evaluate(`
      window.changes = 0;
      new MutationObserver(() => { window.changes += 1; }).observe(document.getElementById('live-state'), { childList: true });
    `);
    const details = page.locator('#of-hours details');
    await details.locator('summary').click();
    fixture.state.facts = createFacts({ tunnel: { lastHandshakeAt: undefined } }, busyFacts);
    await page.locator('#live-state').getByText('Connecting').waitFor();
    await page.waitForTimeout(6_000);
    expect(await page.evaluate('window.changes')).toBe(1);
    expect(await page.title()).toContain('Connecting');
    expect(await page.locator('#icon').getAttribute('href')).toContain('tone=warning');
    expect(await details.getAttribute('open')).not.toBeNull();
    // Of the page itself nothing is loaded again but what changed.
    const again = world.asked.slice(world.asked.indexOf(`${world.origin}/events`) + 1);
    expect(again.filter((address) => !/\/\?parts=|\/page\.svg/.test(address))).toEqual([]);
  });

  test('greys when the agent no longer answers, and goes on when it does', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page } = world;
    await page.route('**/*', (route) => route.abort());
    await page.clock.fastForward(13_000);
    await page.getByText('Unknown since 12:00:00').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('Sharing with');
    expect(await page.title()).toContain('Unknown since');
    expect(await page.locator('#icon').getAttribute('href')).toContain('tone=plain');
    await page.unroute('**/*');
    await world.lookAgain();
    await page.locator('#silence').waitFor({ state: 'hidden' });
    expect(await page.title()).toContain('Sharing with everyone');
    expect(await page.locator('#icon').getAttribute('href')).toContain('tone=good');
  });

  test('still follows where a proxy holds events back', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page, fixture } = world;
    await page.route('**/events', () => undefined);
    await page.reload();
    fixture.state.facts = createFacts({ tunnel: { lastHandshakeAt: undefined } }, busyFacts);
    await world.lookAgain();
    await page.locator('#live-state').getByText('Connecting').waitFor();
    expect(await page.locator('#silence').isHidden()).toBe(true);
  });

  test('has every bar within reach of keys and fingers', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page } = world;
    await world.tabTo('#live-uptime + .probe');
    const strip = page.locator('#live-uptime + .probe');
    expect(await strip.getAttribute('role')).toBe('slider');
    await page.keyboard.press('Home');
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/^13 Feb: [\d.]+ % of the time/);
    await page.keyboard.press('ArrowRight');
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/^14 Feb: /);
    const hours = page.locator('#live-hours + .probe');
    const { width } = (await hours.boundingBox()) ?? { width: 0 };
    await hours.tap({ position: { x: (width * 2.5) / 24, y: 20 } });
    expect(await page.locator('#of-hours .readout').innerText()).toMatch(
      /^15:00: .* to the Internet, .* back$/,
    );
    await page.getByText('30 days', { exact: true }).click();
    await world.tabTo('#live-days + .probe');
    expect(await page.locator('#of-days .readout').innerText()).toMatch(/^14 Mar: /);
    expect(await hours.isVisible()).toBe(false);
  });

  test('weighs at most 25 KB over the wire with all of its history, and is kept by the browser', async () => {
    await using world = await openPage(launched, screens.desktop);
    const { page } = world;
    const weigh = async () => {
      const session = await page.context().newCDPSession(page);
      const sizes = new Map<string, number>();
      const addresses = new Map<string, string>();
      session.on('Network.responseReceived', ({ requestId, response }) =>
        addresses.set(requestId, response.url),
      );
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        sizes.set(
          addresses.get(requestId)?.replace(world.origin, '') ?? requestId,
          encodedDataLength,
        );
      });
      await session.send('Network.enable');
      await page.goto(`${world.origin}/`);
      await page.waitForTimeout(500);
      return sizes;
    };
    const sum = (sizes: ReadonlyMap<string, number>) =>
      [...sizes.values()].reduce((total, size) => total + size, 0);
    await page
      .context()
      .newCDPSession(page)
      .then((session) => session.send('Network.clearBrowserCache'));
    const first = await weigh();
    process.stdout.write(`\n  over the wire: ${JSON.stringify(Object.fromEntries(first))}\n`);
    expect([...first.keys()].some((address) => address.startsWith('/page.css'))).toBe(true);
    expect(sum(first)).toBeLessThan(25_000);
    expect(sum(await weigh())).toBeLessThan(10_000);
    expect(await page.locator('#live-months svg').first().count()).toBe(1);
  });

  test('asks nothing while nobody looks', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page } = world;
    const hide = (isHidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    // Months that were over are read after the first answer, and asked for when the first event
    // tells of them.
    await expect
      .poll(() => world.asked.filter((address) => address.includes('/?parts=')))
      .toHaveLength(1);
    await hide(true);
    const before = world.asked.length;
    await page.clock.fastForward(600_000);
    expect(world.asked.length).toBe(before);
    const asked = page.waitForRequest(`${world.origin}/events`);
    await hide(false);
    await asked;
    await expect.poll(() => page.locator('#silence').isHidden()).toBe(true);
  });

  test('pauses, goes on and changes the mode by keyboard alone, with the token typed once', async () => {
    await using world = await openPage(launched, screens.desktop);
    const { page, fixture } = world;
    await world.tabTo('#orders [popovertarget]');
    await page.keyboard.press('Enter');
    await world.tabTo('[data-seconds="3600"]');
    await page.keyboard.press('Enter');
    await page.locator('#token').waitFor();
    await page.keyboard.type(pageToken);
    await page.keyboard.press('Enter');
    await page.getByText('Paused by you until 13:00').waitFor();
    expect(await page.locator('#token').isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Resume');
    await page.keyboard.press('Space');
    await page.getByText('Sharing with everyone').waitFor();
    await world.tabTo('[data-opens="mode"]');
    await page.keyboard.press('Enter');
    expect(await page.locator('#mode-form input:checked').getAttribute('value')).toBe('public');
    await page.locator('#mode-form input:checked').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByText('Sharing with friends').waitFor();
    await world.tabTo('[data-opens="mode"]');
    await page.keyboard.press('Enter');
    await page.locator('#limit').focus();
    await page.keyboard.type('0');
    await page.keyboard.press('Enter');
    // The browser itself says what is wrong with it, and nothing is sent.
    expect(await page.locator('#limit:invalid').count()).toBe(1);
    await page.keyboard.press('Backspace');
    await page.keyboard.type('2.5');
    await page.keyboard.press('Enter');
    await page.locator('#mode-dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => fixture.state.commands.length).toBe(4);
    expect(fixture.state.commands).toEqual([
      ['none', 3600],
      ['cleared', undefined],
      ['friends', undefined],
      ['friends', undefined, 2_500_000],
    ]);
    expect(world.complaints).toEqual([]);
  });

  test("shows times of the owner's zone and pauses until its midnight, wherever the reader is", async () => {
    const facts = { ...busyFacts, timeZone: 'Asia/Kolkata' };
    await using world = await openPage(
      launched,
      { ...screens.phone, timezoneId: 'America/New_York' },
      { facts },
    );
    const { page } = world;
    await page.getByText('Times are those of Asia/Kolkata (UTC+5:30).').waitFor();
    await page.getByText('Pause ▾').click();
    await page.getByRole('button', { name: 'Until tomorrow' }).click();
    await typeToken(page, pageToken);
    await page.getByText('Paused by you until 15 Mar, 00:00').waitFor();
    expect(world.fixture.state.commands).toEqual([['none', 6.5 * 3600]]);
  });

  test('forgets a token that is none, and asks for it again', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page, fixture } = world;
    expect(await page.locator('input[type=password]:visible').count()).toBe(0);
    await world.pause('not-the-token-of-this-page');
    await page.getByText('This is not the token. Type it again.').waitFor();
    expect(await page.locator('#token').isVisible()).toBe(true);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(fixture.state.commands).toEqual([]);
    await typeToken(page, pageToken);
    await page.getByText('Paused by you until 13:00').waitFor();
    await page.getByRole('button', { name: 'Forget the token' }).click();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('lets strangers in only after a confirmation, and remembers the token on request', async () => {
    const facts = createFacts(
      { provide: { configured: 'friends', effective: 'friends' } },
      busyFacts,
    );
    await using world = await openPage(launched, screens.phone, { facts });
    const { page, fixture } = world;
    await page.getByRole('button', { name: 'Mode' }).click();
    await page.locator('#mode-form').getByText('anyone, for rewards').click();
    await page.getByText('Strangers will use your Internet connection.').waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.getByRole('button', { name: 'Set the mode' }).click();
    expect(await page.locator('#mode-sure:invalid').count()).toBe(1);
    await page.locator('#mode-sure').check();
    await page.getByRole('button', { name: 'Set the mode' }).click();
    await page.locator('#remember').check();
    await typeToken(page, pageToken);
    await expect.poll(() => fixture.state.commands).toEqual([['public', undefined]]);
    expect(await page.evaluate('[sessionStorage.length, localStorage.length]')).toEqual([0, 1]);
    await page.getByRole('button', { name: 'Forget the token' }).click();
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });

  test('changes settings with the token, each with its own answer, and shows a stranger none', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page, fixture } = world;
    const { state } = fixture;
    const changes: unknown[] = [];
    state.settings = state.settings.map((own) =>
      own.key === 'provide.mode'
        ? { ...own, text: 'friends', from: 'tributary.yaml:14' }
        : {
            ...own,
            overruledBy: own.key === 'provide.schedule' ? 'TRIBUTARY_PROVIDE_SCHEDULE' : null,
          },
    );
    state.changeSetting = async (change) => {
      changes.push(change);
      if (change.text === 'much')
        throw new TributaryError('usage-invalid', 'provide.cap.bytes: found "much"');
      state.settings = state.settings.map((own) =>
        own.key === change.key ? { ...own, ...change, from: 'set on the page' } : own,
      );
    };
    await page.getByRole('button', { name: 'Settings' }).click();
    await typeToken(page, pageToken);
    await page.locator('#settings-dialog[open]').waitFor();
    expect(await page.locator('#set-mode').inputValue()).toBe('friends');
    expect(await page.locator('#set-schedule').isDisabled()).toBe(true);
    expect(await page.locator('#settings-form [name] + .note').allInnerTexts()).toEqual([
      'tributary.yaml:14',
      'the default',
      'the default',
      'TRIBUTARY_PROVIDE_SCHEDULE sets it: change it there',
    ]);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.locator('#set-cap').fill('much');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('found "much"').waitFor();
    await page.locator('#set-cap').fill('500 GB');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('set on the page').waitFor();
    // Strangers are let in after a confirmation only.
    await page.locator('#set-mode').selectOption('public');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.locator('#set-sure:invalid').count()).toBe(1);
    await page.locator('#set-sure').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved, and in force.').waitFor();
    expect(changes).toEqual([
      { key: 'provide.cap.bytes', text: 'much' },
      { key: 'provide.cap.bytes', text: '500 GB' },
      { key: 'provide.mode', text: 'public' },
    ]);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(world.complaints.filter((text) => !/status of 4/.test(text))).toEqual([]);
  });

  test("takes the token from the address in setup's QR code, out of which it goes at once", async () => {
    await using world = await openPage(launched, screens.phone);
    const { page, origin } = world;
    await page.goto('about:blank');
    await page.goto(`${origin}/#token=${encodeURIComponent(`${pageToken}+/= ü`)}`);
    await page.locator('#token-dialog[open]').waitFor();
    expect(await page.locator('#token').inputValue()).toBe(`${pageToken}+/= ü`);
    expect(page.url()).toBe(`${origin}/`);
    expect(await page.evaluate('[sessionStorage.length, localStorage.length]')).toEqual([0, 0]);
    expect(world.asked.filter((address) => address.includes('oken'))).toEqual([]);
  });

  test('shows the log and restarts with the token, where somebody starts the agent again', async () => {
    await using world = await openPage(launched, screens.phone);
    const { page, fixture } = world;
    const restarts: string[] = [];
    fixture.state.restart = () => void restarts.push('restarted');
    await page.getByRole('button', { name: 'Log' }).click();
    await typeToken(page, pageToken);
    await page.locator('#log-dialog[open]').waitFor();
    expect(await page.locator('#log-lines').innerText()).toContain('info  tunnel is up');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.getByRole('button', { name: 'Restart the agent' }).click();
    await page.getByText('It restarts.').waitFor();
    await expect.poll(() => restarts).toEqual(['restarted']);
  });

  test('leaves a dialog and a menu by Escape, and changes nothing', async () => {
    await using world = await openPage(launched, screens.desktop);
    const { page, fixture } = world;
    await page.getByText('Pause ▾').click();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'For 1 hour' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Mode' }).click();
    expect(await page.locator('#mode-form').getByText('anyone, for rewards').isVisible()).toBe(
      true,
    );
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(fixture.state.commands).toEqual([]);
  });

  test('copies a command', async () => {
    await using world = await openPage(launched, screens.desktop, pageStates['signed-out']);
    const { page } = world;
    await page.getByRole('button', { name: 'Copy sudo tributary login' }).click();
    expect(await page.evaluate('getSelection().toString()')).toBe('sudo tributary login');
    await page.getByText('Copied').waitFor();
  });

  test('shows where the keyboard is, at every stop', async () => {
    await using world = await openPage(launched, screens.desktop);
    const stops = await world.listTabStops();
    expect(stops.length).toBeGreaterThan(8);
    expect(
      stops.filter(
        ({ text, outlineWidth }) => outlineWidth !== '3px' && !text.includes('name="range"'),
      ),
    ).toEqual([]);
  });

  test('reads without a script, and hides what needs one', async () => {
    await using world = await openPage(launched, { ...screens.phone, javaScriptEnabled: false });
    const { page } = world;
    expect(await page.locator('#live-state').innerText()).toContain('Sharing with everyone');
    expect(await page.locator('button:visible').allInnerTexts()).toEqual(['Pause ▾', 'Help']);
    await page.locator('noscript [popovertarget]').click();
    expect(await page.locator('noscript code').first().isVisible()).toBe(true);
    expect(await page.locator('noscript code').first().innerText()).toBe(
      'sudo tributary pause --for 1h',
    );
    // Nothing of the hint is cut off.
    const cut =
      "[...document.querySelectorAll(':popover-open p')].filter((own) => own.scrollHeight > own.clientHeight)";
    expect(await page.evaluate(`${cut}.length`)).toBe(0);
    await page.getByText('12 months').click();
    expect(await page.locator('#live-months svg').first().isVisible()).toBe(true);
    expect(await page.locator('#live-hours').isVisible()).toBe(false);
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
