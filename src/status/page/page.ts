import { phaseTraits } from '../../health/phase-traits.ts';
import { answerNotFound, createAnswer, type StatusAnswer, type StatusRequest } from '../answers.ts';
import { setProvide } from '../routes.ts';
import type { StatusSource } from '../source.ts';
import { answerLog, answerRestart } from './answer-log.ts';
import { createAssets, packAnswer } from './assets.ts';
import { answerSettings } from './change-settings.ts';
import { drawThroughput } from './chart.ts';
import { createGate } from './gate.ts';
import { answerHistory } from './history.ts';
import { createPastReader } from './past.ts';
import { partNames, renderPage, renderParts, tagPart, titlePage } from './render-page.ts';
import { createStreams, type Frame } from './stream.ts';
import { buildView, type View } from './view.ts';

type Answer = (request: StatusRequest) => StatusAnswer | Promise<StatusAnswer>;

/**
 * The page for people and everything that it asks for. Answers throw usage-invalid and
 * state-unwritable.
 */
export function createPage(
  source: StatusSource,
): (request: StatusRequest) => Promise<StatusAnswer> {
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
    icon: assets.nameIcon(phaseTraits[view.document.phase].tone),
    script: assets.script.integrity,
    at: view.now.toISOString(),
    now: view.clock.formatClockSeconds(view.now),
    ...drawThroughput(view),
    ...Object.fromEntries(partNames.map((name) => [`live-${name}`, tagPart(name, view)])),
  });
  const answerEvents = createStreams(async () => toFrame(await look()), monotonicMs);
  /** Answers with the whole page, or with only the parts that `parts` in the query names. */
  const render: Answer = async ({ query, headers }) => {
    const wanted = query.get('parts')?.split(',');
    const view = await look();
    const names = partNames.filter((name) => wanted?.includes(name));
    const text = wanted === undefined ? renderPage(view, assets) : renderParts(names, view);
    return packAnswer(createAnswer('text/html; charset=utf-8', text), headers);
  };
  const answers = new Map<string, Answer>([
    ['/', render],
    ['/events', answerEvents],
    ['/page.css', assets.style.answer],
    ['/page.js', assets.script.answer],
    ['/page.svg', assets.icon.answer],
    ['/page.webmanifest', assets.manifest.answer],
    [
      '/history.json',
      async ({ query, headers }) => packAnswer(await answerHistory(source, query), headers),
    ],
    // These routes need the page's token.
    ['/provide', (request) => gate(request) ?? setProvide(source, request.body)],
    ['/log', (request) => gate(request) ?? answerLog(source)],
    ['/restart', (request) => gate(request) ?? answerRestart(source)],
    ['/settings', (request) => gate(request) ?? answerSettings(source, request.body)],
  ]);
  return async (request) => (await answers.get(request.path)?.(request)) ?? answerNotFound();
}
