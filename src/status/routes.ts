import { judgePhase } from '../health/phase.ts';
import {
  answerNotFound,
  createJsonAnswer,
  createTextAnswer,
  type StatusAnswer,
  type StatusRequest,
  toErrorAnswer,
} from './answers.ts';
import { buildStatusDocument } from './document.ts';
import type { Page } from './page/page.ts';
import { setProvide } from './set-provide.ts';
import type { StatusSource } from './source.ts';

type Handler = (
  source: StatusSource,
  request: StatusRequest,
  loadPage: LoadPage,
) => StatusAnswer | Promise<StatusAnswer>;
interface StatusRoute {
  readonly method: 'GET' | 'POST';
  /** True where the counters are shown. */
  readonly isLive?: boolean;
  readonly handle: Handler;
}
type Routes = Readonly<Record<string, StatusRoute>>;

/** The page, loaded when it is first asked for: an agent at rest does not carry it. */
type LoadPage = () => Promise<Page>;

/** What anybody who reaches the TCP port may ask. Nothing here changes anything, but for `/provide` with the page's token. */
export const publicRoutes: Routes = {
  '/': { method: 'GET', isLive: true, handle: async (_source, _request, loadPage) => (await loadPage()).render() },
  '/page.css': { method: 'GET', handle: async (_source, _request, loadPage) => (await loadPage()).assets.style },
  '/page.js': { method: 'GET', handle: async (_source, _request, loadPage) => (await loadPage()).assets.script },
  '/page.svg': { method: 'GET', handle: async (_source, _request, loadPage) => (await loadPage()).assets.icon },
  '/history.json': { method: 'GET', handle: async (_source, request, loadPage) => (await loadPage()).history(request) },
  '/provide': { method: 'POST', handle: async (_source, request, loadPage) => (await loadPage()).provide(request) },
  '/status.json': {
    method: 'GET',
    isLive: true,
    handle: ({ facts, now }) => createJsonAnswer(200, buildStatusDocument(facts(), now())),
  },
  '/metrics': {
    method: 'GET',
    isLive: true,
    handle: ({ metrics }) => ({
      status: 200,
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      body: metrics(),
    }),
  },
  '/livez': { method: 'GET', handle: answerLiveness },
  '/readyz': { method: 'GET', handle: answerReadiness },
};

/** What the owner's commands may do besides, over the Unix socket. */
export const ownerRoutes: Routes = {
  ...publicRoutes,
  '/health': {
    method: 'GET',
    handle: ({ health }) => createJsonAnswer(200, { healthy: health().isHealthy, message: health().line }),
  },
  '/provide': { method: 'POST', handle: (source, { body }) => setProvide(source, body) },
  '/reload': {
    method: 'POST',
    async handle({ control }) {
      await control.reload();
      return createJsonAnswer(200, { reloaded: true });
    },
  },
  '/self-test': {
    method: 'POST',
    async handle({ control, facts, now }) {
      await control.selfTest();
      return createJsonAnswer(200, buildStatusDocument(facts(), now()));
    },
  },
};

export interface Answering {
  readonly routes: Routes;
  readonly source: StatusSource;
  readonly page: LoadPage;
}

/** The answer to a request; never throws. */
export async function answer({ routes, source, page }: Answering, request: StatusRequest): Promise<StatusAnswer> {
  const route = Object.hasOwn(routes, request.path) ? routes[request.path] : undefined;
  if (route === undefined) return answerNotFound();
  const isAllowed = request.method === route.method || (request.method === 'HEAD' && route.method === 'GET');
  if (!isAllowed) {
    return { ...createTextAnswer(405, `Only ${route.method} is served here.`), headers: { Allow: route.method } };
  }
  try {
    if (route.isLive === true) await source.refresh();
    return await route.handle(source, request, page);
  } catch (error) {
    return toErrorAnswer(error);
  }
}

function answerLiveness({ stalledLoops }: StatusSource): StatusAnswer {
  const stalled = stalledLoops();
  return stalled.length === 0
    ? createTextAnswer(200, 'alive')
    : createTextAnswer(503, `stalled: ${stalled.join(', ')}`);
}

function answerReadiness({ facts, now }: StatusSource): StatusAnswer {
  const { phase, reasons } = judgePhase(facts(), now());
  if (phase === 'providing' || phase === 'idle') return createTextAnswer(200, phase);
  const [root] = reasons;
  return createTextAnswer(503, `${phase}: ${root?.code}: ${root?.message}`);
}
