import { createHash } from 'node:crypto';
import { createAnswer, type StatusRequest } from '../answers.ts';
import { setProvide } from '../set-provide.ts';
import type { StatusSource } from '../source.ts';
import { createGate } from './gate.ts';
import { answerHistory } from './history.ts';
import icon from './icon.svg?raw';
import script from './live.js?raw';
import { createPastReader } from './past.ts';
import { renderPage } from './render-page.ts';
import style from './style.css?raw';
import { buildView } from './view.ts';

/** The page for people and what it asks for. */
export type Page = ReturnType<typeof createPage>;

export function createPage(source: StatusSource) {
  // Hashes for the `integrity` of their elements.
  const integrity = { style: computeIntegrity(style), script: computeIntegrity(script) };
  const monotonicMs = () => performance.now();
  const gate = createGate(source.pageToken, monotonicMs);
  const readPast = createPastReader(source, monotonicMs);
  return {
    /** What the page loads beside itself: from here, and only as it was made. */
    assets: {
      style: createAnswer('text/css; charset=utf-8', style),
      script: createAnswer('text/javascript; charset=utf-8', script),
      icon: createAnswer('image/svg+xml', icon),
    },
    async render() {
      const view = buildView(source, await readPast());
      return createAnswer('text/html; charset=utf-8', renderPage(view, integrity));
    },
    /** @throws usage-invalid */
    history: ({ query }: StatusRequest) => answerHistory(source, query),
    /** Sets the mode for whoever has the token. @throws usage-invalid, state-unwritable */
    provide: async (request: StatusRequest) => gate(request) ?? setProvide(source, request.body),
  };
}

function computeIntegrity(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
