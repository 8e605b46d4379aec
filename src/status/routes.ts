import * as z from 'zod';
import { TributaryError } from '../errors/codes.ts';
import { judgePhase } from '../health/phase.ts';
import { phaseTraits } from '../health/phase-traits.ts';
import { leastBitRate, mostBitRate } from '../lib/units.ts';
import { provideModes } from '../service/profiles.ts';
import {
  answerNotFound,
  createAnswer,
  createJsonAnswer,
  createTextAnswer,
  type StatusAnswer,
  type StatusRequest,
  toErrorAnswer,
} from './answers.ts';
import { buildProvideDocument, buildStatusDocument } from './document.ts';
import { parseBody } from './parse-body.ts';
import type { StatusSource } from './source.ts';

export interface Asked extends StatusSource {
  readonly request: StatusRequest;
  /** Loaded at the first request, so that an agent at rest does not hold it in memory. */
  readonly page: (request: StatusRequest) => Promise<StatusAnswer>;
}
type Handle = (asked: Asked) => StatusAnswer | Promise<StatusAnswer>;
type Routes = Readonly<Record<string, readonly [method: 'GET' | 'POST', handle: Handle]>>;

const pagePaths = [
  '/',
  '/events',
  '/page.css',
  '/page.js',
  '/page.svg',
  '/page.webmanifest',
  '/history.json',
];

/**
 * What anyone who reaches the TCP port may ask. Nothing here changes anything, except what needs
 * the page's token.
 */
export const publicRoutes: Routes = {
  ...Object.fromEntries([...pagePaths].map((path) => [path, ['GET', askPage]])),
  '/provide': ['POST', askPage],
  '/settings': ['POST', askPage],
  '/log': ['POST', askPage],
  '/restart': ['POST', askPage],
  '/status.json': ['GET', answerStatus],
  '/metrics': ['GET', answerMetrics],
  '/livez': ['GET', answerLiveness],
  '/readyz': ['GET', answerReadiness],
};

/** What the owner's commands may also do, over the Unix socket. */
export const ownerRoutes: Routes = {
  ...publicRoutes,
  '/health': ['GET', answerHealth],
  '/provide': ['POST', (asked) => setProvide(asked, asked.request.body)],
  '/configuration': ['GET', ({ configFile: file }) => createJsonAnswer(200, { file })],
  '/reload': [
    'POST',
    ({ control }) => control.reload().then(() => createJsonAnswer(200, { reloaded: true })),
  ],
  '/self-test': ['POST', (asked) => asked.control.selfTest().then(() => answerStatus(asked))],
};

/** What the group of the socket's folder may ask; none of it is an order. */
export const readerRoutes: Routes = {
  '/history.json': ['GET', askPage],
  '/status.json': ['GET', answerStatus],
  '/health': ['GET', answerHealth],
  '/metrics': ['GET', answerMetrics],
};

/** The answer to a request; never throws. */
export async function answer(routes: Routes, asked: Asked): Promise<StatusAnswer> {
  const { method, path } = asked.request;
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) return answerNotFound();
  const [allowed, handle] = route;
  if (method !== allowed && !(method === 'HEAD' && allowed === 'GET')) {
    return {
      ...createTextAnswer(405, `Only ${allowed} is served here.`),
      headers: { Allow: allowed },
    };
  }
  try {
    return await handle(asked);
  } catch (error) {
    if (!(error instanceof TributaryError)) asked.noteFailure?.(error);
    return toErrorAnswer(error);
  }
}

function askPage({ page, request }: Asked): Promise<StatusAnswer> {
  return page(request);
}

async function answerStatus({ refresh, facts, now }: StatusSource): Promise<StatusAnswer> {
  await refresh();
  return createJsonAnswer(200, buildStatusDocument(facts(), now()));
}

async function answerMetrics({ refresh, metrics }: StatusSource): Promise<StatusAnswer> {
  await refresh();
  return createAnswer('text/plain; version=0.0.4; charset=utf-8', metrics());
}

function answerHealth({ health }: StatusSource): StatusAnswer {
  const { isHealthy, line } = health();
  return createJsonAnswer(200, { healthy: isHealthy, message: line });
}

function answerLiveness({ stalledLoops, health, facts }: StatusSource): StatusAnswer {
  // Any other trouble may pass, and a restart does not end it.
  if (facts().stoppingSince !== undefined) {
    const { isHealthy, line } = health();
    if (!isHealthy) return createTextAnswer(503, line);
  }
  const stalled = stalledLoops();
  if (stalled.length === 0) return createTextAnswer(200, 'alive');
  return createTextAnswer(503, `stalled: ${stalled.join(', ')}`);
}

function answerReadiness({ facts, now }: StatusSource): StatusAnswer {
  const { phase, reasons } = judgePhase(facts(), now());
  if (phaseTraits[phase].isReady) return createTextAnswer(200, phase);
  const [root] = reasons;
  return createTextAnswer(503, `${phase}: ${root?.code}: ${root?.message}`);
}

const longestOverrideSeconds = 366 * 86_400;

const provideRequest = z.strictObject({
  mode: z.enum(provideModes).nullable(),
  forSeconds: z.int().min(1).max(longestOverrideSeconds).optional(),
  limitBitsPerSecond: z.int().min(leastBitRate).max(mostBitRate).optional(),
});

/** A mode to set by hand; null clears the one that was set. */
export type ProvideRequest = Readonly<z.output<typeof provideRequest>>;

/**
 * Sets the mode by hand, or clears it with the mode null. Answers when the change is in force.
 * @throws usage-invalid, state-unwritable
 */
export async function setProvide(
  { facts, control }: StatusSource,
  body: string,
): Promise<StatusAnswer> {
  const { mode, forSeconds, limitBitsPerSecond } = parseBody(body, provideRequest);
  await (mode === null
    ? control.clearOverride()
    : control.setOverride(mode, forSeconds, limitBitsPerSecond));
  return createJsonAnswer(200, buildProvideDocument(facts()));
}
