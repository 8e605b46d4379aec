import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, webPort } from '../../tools/lab/lab.ts';
import { addresses, isInsideLab } from '../../tools/lab/network.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, showLogOnFailure, stopAgent } from '../net/support/test-lab.ts';
import {
  createLaunch,
  executablePath,
  hasBrowser,
  pageToken,
  screens,
  typeToken,
  watchContext,
} from './page-world.ts';

const origin = 'http://127.0.0.1:9469';

/** Waits for the first paint with content. */
const firstPaintMs = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

/** A program that starts Chromium on the lab's device, where the page listens. */
async function writeBrowserOnDevice(lab: Lab): Promise<string> {
  const path = join(lab.directory, 'chromium');
  await writeFile(
    path,
    `#!/bin/sh\nexec ${lab.network.on('device', executablePath).join(' ')} "$@"\n`,
  );
  await chmod(path, 0o755);
  return path;
}

// Namespaces and a browser are needed; what is missing is said aloud by page-setup.ts.
describe.skipIf(!hasBrowser || !isInsideLab())('the page of an agent that provides', () => {
  let lab: Lab;
  let agent: LabProcess;
  let page: Page;
  let complaints: readonly string[];
  let asked: readonly string[];
  let close: (() => Promise<void>) | undefined;

  const say = (text: string) => page.locator('#order-answer').getByText(text).waitFor();
  const pause = async () => {
    await page.getByText('Pause ▾').click();
    await page.getByRole('button', { name: 'For 1 hour' }).click();
  };

  const findHindrances = async () => {
    const { violations } = await new AxeBuilder({ page }).analyze();
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  };

  beforeAll(async () => {
    lab = await createTestLab({
      id: 'page',
      profile: 'documented',
      config: { provide: { time_zone: 'Asia/Kolkata' } },
    });
    agent = lab.startAgent({ TRIBUTARY_STATUS_TOKEN: pageToken });
    await lab.waitForStatus(({ phase }) => phase === 'providing');
    const browser = createLaunch(await writeBrowserOnDevice(lab));
    close = browser.close;
    const watched = await watchContext(browser.launched, screens.desktop);
    ({ complaints, asked } = watched);
    page = await watched.context.newPage();
    await page.goto(`${origin}/`);
  });
  afterAll(async () => {
    await close?.();
    if (agent !== undefined) await stopAgent(agent);
    await lab?.remove();
  });

  test('says what the agent does, in the time zone of its configuration', async () => {
    expect(await page.locator('#live-state').innerText()).toContain('Sharing with everyone');
    expect(await page.title()).toBe('Sharing with everyone: lab device page - Tributary');
    expect(await page.locator('#live-zone').innerText()).toContain(
      'Times are those of Asia/Kolkata (UTC+5:30).',
    );
    expect(await findHindrances()).toEqual([]);
  });

  test('changes nothing for a token that is none', async () => {
    await pause();
    await typeToken(page, 'not-the-token-of-this-page');
    await say('This is not the token.');
    expect((await lab.status()).provide.override).toBeNull();
    expect(await lab.runCommand('provide')).toContain('public');
  });

  test('pauses with the token: consumers are kept out, and `tributary provide` says so', async (context) => {
    showLogOnFailure(context, () => agent);
    await expect.poll(() => lab.probe(addresses.internet, webPort)).toBe('reached');
    await typeToken(page, pageToken);
    await say('Done.');
    await page.locator('#live-state').getByText('Paused by you until').waitFor();
    expect(await findHindrances()).toEqual([]);
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    expect(await lab.runCommand('provide')).toMatch(/none \(set by hand for (1 h|59 min)/);
  });

  test('shows at once what a command sets, and takes it back', async (context) => {
    showLogOnFailure(context, () => agent);
    await lab.runCommand('provide', 'friends');
    await page.locator('#live-state').getByText('Sharing with friends').waitFor();
    await page.getByRole('button', { name: 'Mode' }).click();
    await page.getByText('Back to schedule and configuration').click();
    await page.locator('#live-state').getByText('Sharing with everyone').waitFor();
    const { provide, gateway } = await lab.status();
    expect(provide.override).toBeNull();
    expect(gateway.open).toBe(true);
  });

  test('switches to a mode that outlives a restart of the agent', async (context) => {
    showLogOnFailure(context, () => agent);
    await page.getByRole('button', { name: 'Mode' }).click();
    await page.locator('#mode-form input[value=network]').check();
    await page.getByRole('button', { name: 'Set the mode' }).click();
    await page.locator('#live-state').getByText('Sharing with your own network').waitFor();
    expect(await lab.runCommand('provide')).toContain('network (set by hand until it is cleared)');
    await stopAgent(agent);
    await page.getByText('Unknown since').waitFor();
    agent = lab.startAgent({ TRIBUTARY_STATUS_TOKEN: pageToken });
    await page.locator('#silence').waitFor({ state: 'hidden' });
    await page.locator('#live-connection').getByText('network (set by hand').waitFor();
    // The token is kept by the tab.
    await page.getByRole('button', { name: 'Mode' }).click();
    await page.getByText('Back to schedule and configuration').click();
    await say('Done.');
  });

  test('paints before its script has come', async () => {
    let letCome = () => undefined as unknown;
    const isWanted = new Promise((resolve) => (letCome = () => resolve(undefined)));
    await page.route('**/*.js*', async (route) => {
      await isWanted;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    const paintMs = Number(await page.evaluate(firstPaintMs));
    process.stdout.write(`\n  first paint after ${Math.round(paintMs)} ms\n`);
    expect(await page.evaluate('document.readyState')).not.toBe('complete');
    letCome();
    await page.waitForLoadState();
    await page.unroute('**/*.js*');
  });

  test('asks for little while it is open', async () => {
    const session = await page.context().newCDPSession(page);
    let [bytes, frames] = [0, 0];
    session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
    session.on('Network.responseReceived', ({ response }) => (bytes += response.encodedDataLength));
    session.on('Network.eventSourceMessageReceived', () => (frames += 1));
    await session.send('Network.enable');
    await expect.poll(() => frames).toBeGreaterThanOrEqual(4);
    // One comes every five seconds.
    const perHour = (bytes / frames) * 720;
    process.stdout.write(`\n  an open page takes ${(perHour / 1e6).toFixed(2)} MB an hour\n`);
    // A loose bound; the figure is in docs/status-page.md.
    expect(perHour).toBeGreaterThan(0);
    expect(perHour).toBeLessThan(2_000_000);
  });

  test('asked for nothing elsewhere, and broke no rule of its own', () => {
    expect(asked.filter((address) => !address.startsWith(`${origin}/`))).toEqual([]);
    // A refused order and an agent that was away are what the browser may tell of.
    expect(
      complaints.filter(
        (text) =>
          !/401|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED/.test(text),
      ),
    ).toEqual([]);
  });
});
