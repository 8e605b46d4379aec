import type { StatusAnswer, StatusRequest } from '../answers.ts';
import { setProvide } from '../set-provide.ts';
import type { StatusSource } from '../source.ts';
import { createAssets } from './assets.ts';
import { createGate } from './gate.ts';
import { answerHistory } from './history.ts';
import { createPastReader } from './past.ts';
import { renderPage } from './render-page.ts';
import { buildView } from './view.ts';

/** The page for people and what it asks for. */
export type Page = ReturnType<typeof createPage>;

export function createPage(source: StatusSource) {
  const assets = createAssets();
  const monotonicMs = () => performance.now();
  const gate = createGate(source.pageToken, monotonicMs);
  const readPast = createPastReader(source, monotonicMs);
  return {
    assets,
    async render(): Promise<StatusAnswer> {
      const view = buildView(source, await readPast());
      return { status: 200, contentType: 'text/html; charset=utf-8', body: renderPage(view, assets.integrity) };
    },
    /** @throws usage-invalid */
    history: ({ query }: StatusRequest) => answerHistory(source, query),
    /** Sets the mode for whoever has the token. @throws usage-invalid, state-unwritable */
    provide: async (request: StatusRequest) => gate(request) ?? setProvide(source, request.body),
  };
}
