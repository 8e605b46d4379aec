import { createAnswer, type StatusRequest } from '../answers.ts';
import { setProvide } from '../set-provide.ts';
import type { StatusSource } from '../source.ts';
import { createAssets } from './assets.ts';
import { drawThroughput } from './chart.ts';
import { packAnswer } from './compress.ts';
import { createGate } from './gate.ts';
import { answerHistory } from './history.ts';
import { partNames, tagPart } from './parts.ts';
import { createPastReader } from './past.ts';
import { renderPage, renderParts, titlePage } from './render-page.ts';
import { describeState } from './render-state.ts';
import { createStreams, type Frame } from './stream.ts';
import { buildView, type View } from './view.ts';

/** The page for people and what it asks for. */
export type Page = ReturnType<typeof createPage>;

export function createPage(source: StatusSource) {
  const monotonicMs = () => performance.now();
  const assets = createAssets();
  const gate = createGate(source.pageToken, monotonicMs);
  const readPast = createPastReader(source, monotonicMs);
  const look = async () => {
    await source.refresh();
    return buildView(source, await readPast());
  };
  const toFrame = (view: View): Frame => ({
    title: titlePage(view),
    icon: assets.nameIcon(describeState(view).tone),
    script: assets.script.integrity,
    at: view.now.toISOString(),
    now: view.clock.formatClockSeconds(view.now),
    ...drawThroughput(view),
    ...Object.fromEntries(partNames.map((name) => [`live-${name}`, tagPart(name, view)])),
  });
  const streams = createStreams(async () => toFrame(await look()), monotonicMs);
  return {
    assets,
    /** The whole page or, with `parts` in the query, those alone. */
    async render({ query, headers }: StatusRequest) {
      const wanted = query.get('parts')?.split(',');
      const view = await look();
      const text = wanted
        ? renderParts(
            partNames.filter((name) => wanted.includes(name)),
            view,
          )
        : renderPage(view, assets);
      return packAnswer(createAnswer('text/html; charset=utf-8', text), headers);
    },
    events: streams.answer,
    /** @throws usage-invalid */
    history: async ({ query, headers }: StatusRequest) => packAnswer(await answerHistory(source, query), headers),
    /** Sets the mode for whoever has the token. @throws usage-invalid, state-unwritable */
    provide: async (request: StatusRequest) => gate(request) ?? setProvide(source, request.body),
  };
}
