import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { TributaryError } from '../lib/errors.ts';
import { answer, ownerRoutes, publicRoutes, type StatusAnswer, type StatusSource, toErrorAnswer } from './routes.ts';

/** Most bytes of a request's body. */
export const bodyLimitBytes = 16 * 1024;

/** Which door a request came through: the TCP port, open to whoever reaches it, or the owner's Unix socket. */
export type Door = 'tcp' | 'socket';

/** The one request handler of both doors; bad input is a 4xx, a bug a 500. */
export function createHandler(source: StatusSource, door: Door): RequestListener {
  return (request, response) => {
    serve(source, door, request).then(
      (result) => send(request, response, result),
      () => request.destroy(),
    );
  };
}

async function serve(source: StatusSource, door: Door, request: IncomingMessage): Promise<StatusAnswer> {
  if (door === 'tcp' && !isOwnName(request.headers.host)) {
    // A page elsewhere may point its own name at this address and then read us: only addresses are answered.
    return { status: 421, contentType: 'text/plain; charset=utf-8', body: 'Ask by address, not by name.\n' };
  }
  const method = request.method ?? '';
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const body = await readBody(request);
  if (body === 'too-large') {
    return {
      ...toErrorAnswer(new TributaryError('usage-invalid', 'reading the request: its body is too large')),
      status: 413,
    };
  }
  return answer(door === 'tcp' ? publicRoutes : ownerRoutes, source, { method, path, body });
}

/** An address or `localhost`, with or without a port. */
export function isOwnName(host: string | undefined): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(host ?? '');
  const name = match?.[1] ?? match?.[2] ?? '';
  return name.toLowerCase() === 'localhost' || isIP(name) !== 0;
}

/** Reads on to the end past the limit, keeping nothing: an answer sent into an unread body would be lost. */
async function readBody(request: IncomingMessage): Promise<string | undefined | 'too-large'> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= bodyLimitBytes) chunks.push(chunk);
  }
  if (length > bodyLimitBytes) return 'too-large';
  return length === 0 ? undefined : Buffer.concat(chunks).toString('utf8');
}

function send(request: IncomingMessage, response: ServerResponse, result: StatusAnswer): void {
  const body = Buffer.from(result.body);
  response.writeHead(result.status, {
    'Content-Type': result.contentType,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ...(result.allow === undefined ? {} : { Allow: result.allow }),
    ...(result.status === 413 ? { Connection: 'close' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
