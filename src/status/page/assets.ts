import { createHash } from 'node:crypto';
import type { StatusAnswer } from '../answers.ts';
import icon from './icon.svg?raw';
import script from './live.js?raw';
import style from './style.css?raw';

/** What the page loads beside itself: from here, and only as it was made. */
export interface Assets {
  readonly style: StatusAnswer;
  readonly script: StatusAnswer;
  readonly icon: StatusAnswer;
  /** Hashes for the `integrity` of their elements. */
  readonly integrity: { readonly style: string; readonly script: string };
}

export function createAssets(): Assets {
  return {
    style: { status: 200, contentType: 'text/css; charset=utf-8', body: style },
    script: { status: 200, contentType: 'text/javascript; charset=utf-8', body: script },
    icon: { status: 200, contentType: 'image/svg+xml', body: icon },
    integrity: { style: toIntegrity(style), script: toIntegrity(script) },
  };
}

function toIntegrity(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
