import * as z from 'zod';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { toAction } from './actions.ts';
import { toProvideDocument, toStatusDocument } from './document.ts';
import type { Facts } from './facts.ts';
import type { Health } from './health.ts';
import { renderPage } from './page.ts';
import { toPhase } from './phase.ts';

/** What a command may ask the agent to do; each resolves when it is in force. */
export interface AgentControl {
  /** `forSeconds` undefined: until it is cleared. */
  setOverride(mode: ProvideMode, forSeconds: number | undefined): Promise<void>;
  clearOverride(): Promise<void>;
  /** @throws configuration-invalid; the configuration before stays in force */
  reload(): Promise<void>;
}

/** What the answers are made from. */
export interface StatusSource {
  /** Reads the counters anew, so that whoever asks sees what is, not what was. */
  readonly refresh: () => Promise<void>;
  readonly facts: () => Facts;
  readonly health: () => Health;
  /** Names of the loops that no longer go round; empty while all is well. */
  readonly stalledLoops: () => readonly string[];
  /** The Prometheus text. */
  readonly metrics: () => string;
  readonly now: () => Date;
  readonly control: AgentControl;
}

export interface StatusRequest {
  readonly method: string;
  readonly path: string;
  /** undefined where none was sent. */
  readonly body: string | undefined;
}

export interface StatusAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** For a 405. */
  readonly allow?: string;
}

type Handler = (source: StatusSource, body: string | undefined) => StatusAnswer | Promise<StatusAnswer>;
interface StatusRoute {
  readonly method: 'GET' | 'POST';
  /** True where the counters are shown. */
  readonly isLive?: boolean;
  readonly handle: Handler;
}
type Routes = Readonly<Record<string, StatusRoute>>;

const plain = 'text/plain; charset=utf-8';
const longestOverrideSeconds = 366 * 86_400;

/** What anybody who reaches the TCP port may read. Nothing here changes anything. */
export const publicRoutes: Routes = {
  '/': {
    method: 'GET',
    isLive: true,
    handle: (source) => ({ ...ok, contentType: 'text/html; charset=utf-8', body: toPage(source) }),
  },
  '/status.json': {
    method: 'GET',
    isLive: true,
    handle: ({ facts, now }) => toJson(200, toStatusDocument(facts(), now())),
  },
  '/metrics': {
    method: 'GET',
    isLive: true,
    handle: ({ metrics }) => ({ ...ok, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: metrics() }),
  },
  '/livez': { method: 'GET', handle: toLiveness },
  '/readyz': { method: 'GET', handle: toReadiness },
};

const provideRequest = z.strictObject({
  mode: z.enum(provideModes).nullable(),
  forSeconds: z.int().min(1).max(longestOverrideSeconds).optional(),
});

/** What the owner's commands may do besides, over the Unix socket. */
export const ownerRoutes: Routes = {
  ...publicRoutes,
  '/health': {
    method: 'GET',
    handle: ({ health }) => toJson(200, { healthy: health().isHealthy, message: health().line }),
  },
  '/provide': {
    method: 'POST',
    async handle({ facts, control }, body) {
      const { mode, forSeconds } = parseBody(body, provideRequest);
      await (mode === null ? control.clearOverride() : control.setOverride(mode, forSeconds));
      return toJson(200, toProvideDocument(facts()));
    },
  },
  '/reload': {
    method: 'POST',
    async handle({ control }) {
      await control.reload();
      return toJson(200, { reloaded: true });
    },
  },
};

/** The answer to a request; never throws. */
export async function answer(routes: Routes, source: StatusSource, request: StatusRequest): Promise<StatusAnswer> {
  const route = Object.hasOwn(routes, request.path) ? routes[request.path] : undefined;
  if (route === undefined) return { status: 404, contentType: plain, body: 'There is nothing here.\n' };
  const isAllowed = request.method === route.method || (request.method === 'HEAD' && route.method === 'GET');
  if (!isAllowed) {
    return { status: 405, contentType: plain, body: `Only ${route.method} is served here.\n`, allow: route.method };
  }
  try {
    if (route.isLive === true) await source.refresh();
    return await route.handle(source, request.body);
  } catch (error) {
    return toErrorAnswer(error);
  }
}

/** `{error: {code, message, action}}`; an error that is not ours is a bug, and its text stays here. */
export function toErrorAnswer(error: unknown): StatusAnswer {
  if (!(error instanceof TributaryError)) {
    return { status: 500, contentType: plain, body: 'This is a bug in the agent.\n' };
  }
  const { code } = error;
  return toJson(code === 'usage-invalid' ? 400 : 422, {
    error: { code, message: messageOf(error), action: toAction(code) },
  });
}

const ok = { status: 200 } as const;

function toPage({ facts, now }: StatusSource): string {
  return renderPage(toStatusDocument(facts(), now()), now());
}

function toLiveness({ stalledLoops }: StatusSource): StatusAnswer {
  const stalled = stalledLoops();
  return stalled.length === 0
    ? { ...ok, contentType: plain, body: 'alive\n' }
    : { status: 503, contentType: plain, body: `stalled: ${stalled.join(', ')}\n` };
}

function toReadiness({ facts, now }: StatusSource): StatusAnswer {
  const { phase, reasons } = toPhase(facts(), now());
  if (phase === 'providing' || phase === 'idle') return { ...ok, contentType: plain, body: `${phase}\n` };
  const [root] = reasons;
  return { status: 503, contentType: plain, body: `${phase}: ${root?.code}: ${root?.message}\n` };
}

function toJson(status: number, value: unknown): StatusAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

function parseBody<T>(body: string | undefined, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(body ?? '');
  } catch {
    throw new TributaryError('usage-invalid', 'reading the request: its body is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TributaryError(
    'usage-invalid',
    `reading the request: ${issue?.path.join('.') || 'body'}: ${issue?.message}`,
  );
}
