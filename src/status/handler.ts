import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIP, isIPv6, type Socket } from 'node:net';
import { TributaryError } from '../errors/codes.ts';
import { toHostName } from '../lib/host-name.ts';
import { untilFound } from '../lib/once.ts';
import {
  createTextAnswer,
  type StatusAnswer,
  type StatusRequest,
  toErrorAnswer,
} from './answers.ts';
import { type Asked, answer, ownerRoutes, publicRoutes, readerRoutes } from './routes.ts';
import { type StatusSource, stateHeader, versionHeader } from './source.ts';

export const bodyLimitBytes = 16 * 1024;

/**
 * The door that a request came through: the TCP port, open to anyone who reaches it, the owner's
 * Unix socket, or the one at which a group may read.
 */
export type Listener = 'tcp' | 'socket' | 'readers';

const routesOf = { tcp: publicRoutes, socket: ownerRoutes, readers: readerRoutes } as const;

/**
 * The request handler of all doors. Bad input is answered with 4xx, a bug with 500. `ownNames` are
 * for the TCP port only.
 */
export function createHandler(
  source: StatusSource,
  listener: Listener,
  ownNames: () => readonly string[],
): RequestListener {
  const load = untilFound(async () => (await import('./page/page.ts')).createPage(source));
  const page: Asked['page'] = async (request) => (await load())(request);
  const routes = routesOf[listener];
  const busy = new WeakSet<Socket>();
  const refuse = (request: IncomingMessage) =>
    listener === 'tcp'
      ? refuseStranger(request, ownNames())
      : (refuseStranger(request, undefined) ?? refuseMistaken(request, source));
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (listener !== 'tcp') response.setHeader(versionHeader, source.facts().version);
    const refusal = refuse(request);
    if (refusal !== undefined) return refusal;
    const body = await readBody(request);
    if (body !== undefined)
      return answer(routes, { ...source, page, request: toStatusRequest(request, body) });
    const refused = toErrorAnswer(
      new TributaryError('usage-invalid', 'reading the request: its body is too large'),
    );
    return { ...refused, status: 413, headers: { Connection: 'close' } };
  };
  return (request, response) => {
    const { socket } = request;
    // Thousands of requests fit into one packet, so a connection that does not wait for its answer
    // is closed.
    if (busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    response.once('finish', () => busy.delete(socket));
    const fail = (error: unknown) => {
      // A caller that hangs up while it is read is no bug of the agent.
      if (request.destroyed && !request.complete) return;
      source.noteFailure?.(error);
      if (response.headersSent) response.destroy();
      else send(request, response, toErrorAnswer(error));
    };
    serve(request, response)
      .then((result) => send(request, response, result))
      .catch(fail)
      .catch(() => request.destroy());
  };
}

/** undefined unless the caller means the agent of another state directory. */
function refuseMistaken(
  { headers }: IncomingMessage,
  { stateDirectory }: StatusSource,
): StatusAnswer | undefined {
  const own = encodeURI(stateDirectory);
  if ((headers[stateHeader] ?? own) === own) return undefined;
  return toErrorAnswer(new TributaryError('not-running', `the agent of ${stateDirectory} answers`));
}

/** `names` are undefined where the caller's host does not matter. */
function refuseStranger(
  { headers, headersDistinct }: IncomingMessage,
  names: readonly string[] | undefined,
): StatusAnswer | undefined {
  if ((headersDistinct.host?.length ?? 0) > 1)
    return createTextAnswer(400, 'The request names its host more than once: once is enough.');
  const refusal = names && refuseHost(headers.host, names);
  return refusal === undefined ? undefined : createTextAnswer(421, refusal);
}

/**
 * No public name server answers for these names. Only the home's own network can give them to this
 * device.
 */
const homeEndings = ['.local', '.lan', '.internal', '.home.arpa'];

/**
 * Why a request with this `Host` is refused; undefined if it is not. A website may point its own
 * name here (DNS rebinding) and read the page as its own. So a name that a stranger can register
 * has to be in `names`: our own names and the allowed ones.
 */
export function refuseHost(host: string | undefined, names: readonly string[]): string | undefined {
  const [, address, text = ''] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(host ?? '') ?? [];
  if (address !== undefined && isIPv6(address)) return undefined;
  const name = toHostName(text);
  if (name === undefined) return 'The request names no host: ask by name or by address.';
  const isHome =
    !name.includes('.') || homeEndings.some((ending) => name.endsWith(ending)) || isIP(name) !== 0;
  if (isHome || names.some((own) => toHostName(own) === name)) return undefined;
  return `${name} is not known as a name of this device. If it is yours, add it to status.allowed_hosts in the configuration and restart the agent.`;
}

function toStatusRequest(
  { method = '', url = '', headers, socket }: IncomingMessage,
  body: string,
): StatusRequest {
  const [path = '', query = ''] = url.split('?', 2);
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers,
    address: socket.remoteAddress,
    body,
  };
}

/**
 * The body; undefined past the limit. It is read to the end without being kept, because an answer
 * sent while a body is unread would be lost.
 */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= bodyLimitBytes) chunks.push(chunk);
  }
  return length > bodyLimitBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}

/**
 * Nothing is loaded from elsewhere, nothing is inline, no text is written into the page as HTML,
 * and no other page may frame ours.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

function send(request: IncomingMessage, response: ServerResponse, result: StatusAnswer): void {
  const body = result.packed ?? Buffer.from(result.body);
  response.writeHead(result.status, {
    'Content-Type': result.contentType,
    ...(result.stream === undefined ? { 'Content-Length': body.length } : {}),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': contentSecurityPolicy,
    ...result.headers,
  });
  if (request.method === 'HEAD') response.end();
  else if (result.stream !== undefined) result.stream(response);
  else response.end(body);
}
