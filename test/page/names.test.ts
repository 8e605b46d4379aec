import { type Browser, chromium } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createStatusFixture } from '../unit/status/status-fixture.ts';
import { executablePath, hasBrowser, pageToken } from './page-world.ts';

/**
 * Every name leads to the page, as after a rebinding: only the page itself can keep a stranger's
 * name out.
 */
const args = [
  '--headless',
  '--disable-gpu',
  '--no-first-run',
  '--host-resolver-rules=MAP * 127.0.0.1',
];

let browser: Promise<Browser> | undefined;

afterAll(async () => (await browser)?.close());

async function openByName(name: string) {
  const fixture = await createStatusFixture(undefined, { pageToken: new Secret(pageToken) });
  await fixture.start();
  browser ??= chromium.launch({ executablePath, args, chromiumSandbox: false });
  const page = await (await browser).newPage();
  const answer = await page.goto(`http://${name}:${fixture.server.pageAddress()?.port}/`);
  return {
    fixture,
    page,
    status: answer?.status(),
    async [Symbol.asyncDispose]() {
      await page.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

/** Sends an order as the page's script does, from the page's own origin. */
const order = `fetch('/provide', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ${pageToken}' },
  body: '{"mode":"none","forSeconds":60}',
}).then((answer) => answer.status)`;

describe.skipIf(!hasBrowser)('in a browser, the page', () => {
  test.each(['raspberrypi.local', 'tributary', 'nas.home.arpa', 'kitchen.example.org'])(
    'is read and takes orders by the name %s',
    async (name) => {
      await using world = await openByName(name);
      expect(world.status).toBe(200);
      expect(await world.page.title()).toContain('Sharing with everyone');
      expect(await world.page.evaluate(order)).toBe(200);
      expect(world.fixture.state.commands).toEqual([['none', 60]]);
    },
  );

  test.each(['evil.example', 'x.local.evil.example'])(
    'tells a website that points its name %s here nothing',
    async (name) => {
      await using world = await openByName(name);
      expect(world.status).toBe(421);
      expect(await world.page.locator('body').innerText()).toContain('status.allowed_hosts');
      const read = "fetch('/status.json').then((answer) => answer.status)";
      expect(await world.page.evaluate(read)).toBe(421);
      expect(await world.page.evaluate(order)).toBe(421);
      expect(world.fixture.state.commands).toEqual([]);
    },
  );
});
