import type { StatusAnswer, StatusRequest } from '../answers.ts';
import { setProvide } from '../set-provide.ts';
import type { StatusSource } from '../source.ts';
import { type Assets, createAssets } from './assets.ts';
import { createGate } from './gate.ts';
import { answerHistory } from './history.ts';
import { createPastReader } from './past.ts';
import { renderPage } from './render-page.ts';
import { buildView } from './view.ts';

/** The page for people and what it asks for. */
export interface Page {
  readonly assets: Assets;
  render(): Promise<StatusAnswer>;
  /** @throws usage-invalid */
  history(request: StatusRequest): Promise<StatusAnswer>;
  /** Sets the mode for whoever has the token. @throws usage-invalid, state-unwritable */
  provide(request: StatusRequest): Promise<StatusAnswer>;
}

export function createPage(source: StatusSource): Page {
  const assets = createAssets();
  const monotonicMs = () => performance.now();
  const gate = createGate(source.pageToken, monotonicMs);
  const readPast = createPastReader(source, monotonicMs);
  return {
    assets,
    async render() {
      const view = buildView(source, await readPast());
      return { status: 200, contentType: 'text/html; charset=utf-8', body: renderPage(view, assets.integrity) };
    },
    history: ({ query }) => answerHistory(source, query),
    provide: async (request) => gate(request) ?? setProvide(source, request.body),
  };
}
