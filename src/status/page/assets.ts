import { createHash } from 'node:crypto';
import type { StatusAnswer } from '../answers.ts';
import icon from './icon.svg?raw';
import script from './live.js?raw';
import style from './style.css?raw';

export type Assets = ReturnType<typeof createAssets>;

/** What the page loads beside itself: from here, and only as it was made. */
export function createAssets() {
  return {
    style: toFile('text/css; charset=utf-8', style),
    script: toFile('text/javascript; charset=utf-8', script),
    icon: toFile('image/svg+xml', icon),
    /** Hashes for the `integrity` of their elements. */
    integrity: { style: toIntegrity(style), script: toIntegrity(script) },
  };
}

function toFile(contentType: string, body: string): StatusAnswer {
  return { status: 200, contentType, body };
}

function toIntegrity(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
