import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { toSmallPng } from './small-png.ts';

/** Where each look at the page is left, to be looked at; whole pages. */
const everything = join(tmpdir(), 'tributary-page');

/** Those of the documentation, by the look that they show: made again with `TRIBUTARY_PICTURES=1`. */
const documented: Readonly<Record<string, string>> = {
  'providing-desktop-light': 'page',
  'providing-desktop-dark': 'page-dark',
  'providing-phone-light': 'page-phone',
  'providing-phone-dark': 'page-phone-dark',
  ...Object.fromEntries(
    [
      'signed-out',
      'connecting',
      'no-uplink',
      'cap-reached',
      'paused',
      'blocked',
      'consumer-tunnel',
      'young',
      'silent',
    ].map((state) => [`${state}-desktop-light`, `page-${state}`]),
  ),
};

/** True where the documentation's pictures are made again. */
export const makesPictures = process.env.TRIBUTARY_PICTURES === '1';

/** Leaves a picture of the page, and the documentation's where those are to be made again. */
export async function takePicture(page: Page, look: string): Promise<void> {
  await mkdir(everything, { recursive: true });
  await page.screenshot({ path: join(everything, `${look}.png`), fullPage: true });
  const name = documented[look];
  if (!makesPictures || name === undefined) return;
  const isState = look.endsWith('desktop-light') && !look.startsWith('providing');
  const clip = isState ? { x: 0, y: 0, width: 1280, height: 520 } : undefined;
  const picture = await page.screenshot({ scale: 'css', ...(clip === undefined ? {} : { clip }) });
  await writeFile(join(import.meta.dirname, '../../docs/images', `${name}.png`), toSmallPng(picture));
}
