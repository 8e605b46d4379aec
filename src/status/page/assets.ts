import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Tone } from '../../health/phase-traits.ts';
import { createAnswer, type StatusAnswer, type StatusRequest } from '../answers.ts';
import iconText from './icon.svg?raw';
import scriptText from './live.js?raw';
import styleText from './style.css?raw';

/**
 * The files that the page loads beside itself. They come from here alone, and their names change
 * with their contents, so that a browser loads each once.
 */
export interface Assets {
  readonly style: Asset;
  readonly script: Asset;
  readonly icon: Asset;
  readonly manifest: Asset;
  /** The address of the icon in the colour of a tone. */
  readonly nameIcon: (tone: Tone) => string;
}

interface Asset {
  /** Its path with its version. */
  readonly href: string;
  /** As a page says it: `sha256-…` */
  readonly integrity: string;
  /**
   * Browsers keep the file for ever if its name has this version, and not at all under another
   * name.
   */
  readonly answer: (request: StatusRequest) => Promise<StatusAnswer>;
}

const iconColours: Readonly<Record<Tone, string>> = {
  good: '#147a43',
  warning: '#b86e00',
  bad: '#c5281c',
  plain: '#6b7885',
};

export function createAssets(): Assets {
  const icon = createAsset('/page.svg', createAnswer('image/svg+xml', iconText));
  const manifest = {
    name: 'Tributary',
    start_url: '/',
    display: 'standalone',
    background_color: '#f4f6f8',
    theme_color: '#0b6e8f',
    icons: [{ src: icon.href, type: 'image/svg+xml', sizes: 'any' }],
  };
  return {
    style: createAsset('/page.css', createAnswer('text/css; charset=utf-8', styleText)),
    script: createAsset('/page.js', createAnswer('text/javascript; charset=utf-8', scriptText)),
    icon: {
      ...icon,
      answer: (request) => icon.answer(request).then((own) => paint(own, request)),
    },
    manifest: createAsset(
      '/page.webmanifest',
      createAnswer('application/manifest+json', JSON.stringify(manifest)),
    ),
    nameIcon: (tone) => `${icon.href}&tone=${tone}`,
  };
}

/** Puts the colour into the icon, which is never compressed because it is small. */
function paint(icon: StatusAnswer, { query }: StatusRequest): StatusAnswer {
  const colour = new Map(Object.entries(iconColours)).get(query.get('tone') ?? '') ?? '#0b6e8f';
  return { ...icon, body: icon.body.replace('#0b6e8f', colour) };
}

function createAsset(path: string, plain: StatusAnswer): Asset {
  const sha256 = hash('sha256', plain.body, 'buffer');
  const version = sha256.toString('base64url').slice(0, 10);
  return {
    href: `${path}?v=${version}`,
    integrity: `sha256-${sha256.toString('base64')}`,
    async answer({ headers, query }) {
      const answer = await packAnswer(plain, headers);
      if (query.get('v') !== version) return answer;
      return {
        ...answer,
        headers: { ...answer.headers, 'Cache-Control': 'public, max-age=31536000, immutable' },
      };
    },
  };
}

const compress = promisify(gzip);
/** A smaller answer fits into one packet anyway. */
const leastBytes = 1_000;

/** Compresses the answer if the browser can read that; `gzip;q=0` says that it cannot. */
export async function packAnswer(
  answer: StatusAnswer,
  headers: StatusRequest['headers'],
): Promise<StatusAnswer> {
  const vary = { ...answer.headers, Vary: 'Accept-Encoding' };
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
    String(headers['accept-encoding'] ?? ''),
  );
  if (answer.body.length < leastBytes || !takesGzip) return { ...answer, headers: vary };
  return {
    ...answer,
    packed: await compress(answer.body),
    headers: { ...vary, 'Content-Encoding': 'gzip' },
  };
}
