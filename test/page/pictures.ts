import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { toSmallPng } from './small-png.ts';

/** Where whole pages of every look are left beside the documentation's pictures. */
const everything = join(import.meta.dirname, '../../dist/pictures');

/** The states of the documentation; every look of them is shown there. */
const documented = [
  'providing',
  'signed-out',
  'connecting',
  'no-uplink',
  'cap-reached',
  'paused',
  'blocked',
  'consumer-tunnel',
  'young',
  'silent',
];

/** True with `TRIBUTARY_PICTURES=1`: the documentation's pictures are made again. */
export const makesPictures = process.env.TRIBUTARY_PICTURES === '1';

interface Look {
  readonly name: string;
  readonly screen: 'desktop' | 'phone';
  readonly colorScheme: 'light' | 'dark';
}

/** Leaves pictures of the page where the documentation's are to be made again. */
export async function takePicture(page: Page, { name, screen, colorScheme }: Look): Promise<void> {
  if (!makesPictures) return;
  await mkdir(everything, { recursive: true });
  await page.screenshot({
    path: join(everything, `${name}-${screen}-${colorScheme}.png`),
    fullPage: true,
  });
  if (!documented.includes(name)) return;
  const whole = page.viewportSize() ?? { width: 0, height: 0 };
  // Providing is shown as the screen shows it, the others down to what differs.
  const height = name === 'providing' ? whole.height : { desktop: 520, phone: 720 }[screen];
  const picture = await page.screenshot({
    scale: 'css',
    clip: { x: 0, y: 0, width: whole.width, height },
  });
  const parts = ['page', name === 'providing' ? [] : name, screen === 'phone' ? screen : []].flat();
  const file = [...parts, ...(colorScheme === 'dark' ? [colorScheme] : [])].join('-');
  await writeFile(
    join(import.meta.dirname, '../../docs/images', `${file}.png`),
    toSmallPng(picture),
  );
}
