import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

import type { Facts } from '../../src/health/facts.ts';
import { Secret } from '../../src/lib/secret.ts';
import type { ReadHistory } from '../../src/status/source.ts';
import { version } from '../../src/version.ts';
import { ago, createFacts, now } from '../../tools/docs/sample-facts.ts';
import { patienceMs } from '../patience.ts';
import { makeRecent, sampleHistory } from '../unit/status/sample-past.ts';
import { createStatusFixture, pageOf, type StatusFixture } from '../unit/status/status-fixture.ts';

export const executablePath = '/usr/bin/chromium';

/** The tests need a real Chromium; without one, a single note says so. */
export const hasBrowser = existsSync(executablePath);

export const pageToken = 'a-token-of-twenty-four-letters';

/**
 * The page in a real browser, from a real server, and everything that the browser complained about
 * or asked for.
 */
export interface PageWorld extends AsyncDisposable, Omit<WatchedContext, 'context'> {
  readonly fixture: StatusFixture;
  readonly page: Page;
  readonly origin: string;
  /** Lets so much of the page's time pass that silence is noticed, and the agent asked. */
  lookAgain(): Promise<void>;
  /** Presses Tab until the element has the focus. */
  tabTo(selector: string): Promise<void>;
  /** Pauses for an hour, and types the token that is asked for. */
  pause(token: string): Promise<void>;
  /** Every place where Tab stops, once round, with the width of its outline. */
  listTabStops(): Promise<readonly TabStop[]>;
}

interface TabStop {
  readonly text: string;
  readonly outlineWidth: string;
}

/** A device that has provided for weeks. */
export const busyFacts = createFacts({
  version,
  // As the events beside it say.
  startedAt: ago(7200),
  gateway: {
    forwardedBytes: { up: 340_000_000_000, down: 1_940_000_000_000 },
    refusedPackets: {
      'not-public': 1_204,
      'own-network': 311,
      'blocked-port': 96,
      'rate-limit': 0,
    },
  },
  usage: { bytes: 264_000_000_000, reachedAt: new Date('2026-03-26T00:00:00.000Z') },
  serviceFigures: {
    isConnected: true,
    uptimeSeconds: 86_040,
    transferredBytes: 17_800_000_000,
    payoutUsdc: 0.42,
    contracts: 171,
    consumers: 5,
    provideMode: 'public',
    at: new Date('2026-03-14T11:55:00Z'),
    hereBytes: 18_200_000_000,
  },
  earned: {
    last24hUsdc: 0.42,
    monthUsdc: 5.61,
    totalUsdc: 48.2,
    totalSince: new Date('2025-11-02T00:00:00Z'),
    at: ago(2400),
  },
});

/** Screens that the page is tried on. */
export const screens = {
  phone: {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
  },
  desktop: { viewport: { width: 1280, height: 900 } },
} as const;

/**
 * One browser for a whole file; each page has a profile of its own in it. @param program Chromium,
 * or what starts it
 */
export function createLaunch(program = executablePath): {
  readonly launched: () => Promise<Browser>;
  close(): Promise<void>;
} {
  let browser: Promise<Browser> | undefined;
  return {
    launched() {
      browser ??= chromium.launch({ executablePath: program, args: flags, chromiumSandbox: false });
      return browser;
    },
    close: async () => (await browser)?.close(),
  };
}

/** A profile in the browser, and everything that it complained about or asked for. */
export interface WatchedContext {
  readonly context: BrowserContext;
  /** Errors and warnings of the console, and of scripts. */
  readonly complaints: readonly string[];
  /** Addresses of every request that was made. */
  readonly asked: readonly string[];
}

export async function watchContext(
  launched: () => Promise<Browser>,
  options: BrowserContextOptions,
): Promise<WatchedContext> {
  const context = await (await launched()).newContext({ timezoneId: 'UTC', ...options });
  context.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  const asked: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => void complaints.push(String(error.error())));
  context.on('request', (request) => void asked.push(request.url()));
  return { context, complaints, asked };
}

export async function openPage(
  launched: () => Promise<Browser>,
  options: BrowserContextOptions,
  {
    facts = busyFacts,
    history = sampleHistory,
  }: { readonly facts?: Facts; readonly history?: ReadHistory } = {},
): Promise<PageWorld> {
  const recent = makeRecent(facts);
  const logLines = () => [{ at: now, text: 'info  tunnel is up' }];
  const fixture = await createStatusFixture(
    { host: '127.0.0.1', port: 0 },
    { recent, history, pageToken: new Secret(pageToken), logLines },
  );
  fixture.state.facts = facts;
  await fixture.start();
  const origin = `http://${pageOf(fixture.server)}`;
  const { context: browser, complaints, asked } = await watchContext(launched, options);
  const page = await browser.newPage();
  await page.clock.install({ time: now });
  await page.goto(`${origin}/`);
  return {
    fixture,
    page,
    origin,
    complaints,
    asked,
    async lookAgain() {
      const answer = page.waitForEvent(
        'requestfinished',
        (request) => request.url() === `${origin}/`,
      );
      await page.clock.fastForward(13_000);
      await answer;
    },
    async tabTo(selector) {
      for (let stop = 0; stop < 60; stop += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`))
          return;
      }
      throw new Error(`Tab does not come to ${selector}`);
    },
    async pause(token) {
      await page.getByText('Pause ▾').click();
      await page.getByRole('button', { name: 'For 1 hour' }).click();
      await typeToken(page, token);
    },
    async listTabStops() {
      const stops: TabStop[] = [];
      for (;;) {
        await page.keyboard.press('Tab');
        const stop: TabStop | undefined = await page.evaluate(describeFocus);
        if (stop === undefined) return stops;
        stops.push(stop);
      }
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

/** Types the token into the dialog that asks for it. */
export async function typeToken(page: Page, token: string): Promise<void> {
  await page.locator('#token').fill(token);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** undefined where the focus has left the page, or come round. */
const describeFocus = `(() => {
  const element = document.activeElement;
  if (element === document.body || element.dataset.seen) return undefined;
  element.dataset.seen = 'yes';
  return { text: element.outerHTML.slice(0, 80), outlineWidth: getComputedStyle(element).outlineWidth };
})()`;

/** What keeps the browser itself from asking for anything. */
const flags = [
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
