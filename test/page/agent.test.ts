import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, webPort } from '../../src/lab/lab.ts';
import { addresses, isInsideLab } from '../../src/lab/network.ts';
import type { LabProcess } from '../../src/lab/processes.ts';
import { createTestLab, showLogOnFailure, stopAgent } from '../net/support/test-lab.ts';
import { createLaunch, executablePath, hasBrowser, pageToken, screens, watchContext } from './page-world.ts';

const origin = 'http://127.0.0.1:9469';

/** A program that starts Chromium on the lab's device, where the page listens. */
async function writeBrowserOnDevice(lab: Lab): Promise<string> {
  const path = join(lab.directory, 'chromium');
  await writeFile(path, `#!/bin/sh\nexec ${lab.network.on('device', executablePath).join(' ')} "$@"\n`);
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
  const unlock = async (token: string) => {
    await page.locator('#token').fill(token);
    await page.getByRole('button', { name: 'Unlock' }).click();
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
    expect(await page.locator('#live-phase').innerText()).toContain('Providing');
    expect(await page.title()).toBe('Providing: lab device page - Tributary');
    expect(await page.locator('#live-time').innerText()).toContain('Times are those of Asia/Kolkata (UTC+5:30).');
    expect(await findHindrances()).toEqual([]);
  });

  test('changes nothing for a token that is none', async () => {
    await unlock('not-the-token-of-this-page');
    await page.getByText('Pause for 1 hour').click();
    await say('This is not the token.');
    expect((await lab.status()).provide.override).toBeNull();
    expect(await lab.runCommand('provide')).toContain('public');
  });

  test('pauses with the token: consumers are kept out, and `tributary provide` says so', async (context) => {
    showLogOnFailure(context, () => agent);
    await expect.poll(() => lab.probe(addresses.internet, webPort), { timeout: 15_000 }).toBe('reached');
    await unlock(pageToken);
    await page.getByText('Pause for 1 hour').click();
    await say('Done: the mode is none until');
    await page.locator('#live-phase').getByText('Idle').waitFor();
    expect(await findHindrances()).toEqual([]);
    expect(await lab.probe(addresses.internet, webPort)).toBe('refused');
    expect(await lab.runCommand('provide')).toMatch(/none \(set by hand for (1 h|59 min)/);
  });

  test('shows at once what a command sets, and takes it back', async (context) => {
    showLogOnFailure(context, () => agent);
    await lab.runCommand('provide', 'friends');
    await page.locator('#live-now').getByText('friends (set by hand until it is cleared)').waitFor({ timeout: 15_000 });
    await page.getByText('Back to schedule and configuration').click();
    await say('Done: the schedule and the configuration decide again.');
    const { provide, gateway } = await lab.status();
    expect(provide.override).toBeNull();
    expect(gateway.open).toBe(true);
  });

  test('switches to a mode that outlives a restart of the agent', async (context) => {
    showLogOnFailure(context, () => agent);
    await page.locator('#mode').selectOption('network');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await say('Done: the mode is network until it is cleared.');
    expect(await lab.runCommand('provide')).toContain('network (set by hand until it is cleared)');
    await stopAgent(agent);
    await page.getByText('The agent has not answered since').waitFor({ timeout: 15_000 });
    agent = lab.startAgent({ TRIBUTARY_STATUS_TOKEN: pageToken });
    await page.locator('#silence').waitFor({ state: 'hidden', timeout: 30_000 });
    await page.locator('#live-now').getByText('network (set by hand until it is cleared)').waitFor({ timeout: 15_000 });
    // The token is kept by the tab.
    await page.getByText('Back to schedule and configuration').click();
    await say('Done: the schedule and the configuration decide again.');
  });

  test('asked for nothing elsewhere, and broke no rule of its own', () => {
    expect(asked.filter((address) => !address.startsWith(`${origin}/`))).toEqual([]);
    // A refused order and an agent that was away are what the browser may tell of.
    expect(complaints.filter((text) => !/401|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/.test(text))).toEqual([]);
  });
});
