import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the service saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Answers one request, however badly. Where that takes a while it returns a promise, which the
 * server waits for when it is stopped.
 */
export type Behaviour = (request: SeenRequest, response: ServerResponse) => unknown;

/** A server that behaves as it is told, request by request, and remembers what it saw. */
export interface NastyService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly seen: readonly SeenRequest[];
  /** Requests of this path so far. */
  count(path: string): number;
}

/** Listens on a free port of 127.0.0.1; every request is given to `behave`. */
export async function startNastyService(behave: Behaviour): Promise<NastyService> {
  const seen: SeenRequest[] = [];
  const answering = new Set<Promise<void>>();
  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    const answer = async () => {
      const request = await readRequest(incoming);
      seen.push(request);
      await behave(request, response);
    };
    const answered = answer().finally(() => answering.delete(answered));
    answering.add(answered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    count: (path) => seen.filter((request) => request.path === path).length,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(answering);
    },
  };
}

/** The n-th request gets the n-th behaviour; the last one stays. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  let turn = 0;
  return (request, response) => {
    const behave = behaviours[Math.min(turn, behaviours.length - 1)];
    turn += 1;
    return behave?.(request, response);
  };
}

export function sendJson(
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Behaviour {
  return (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
}

export function sendText(
  text: string,
  status: number,
  headers: Record<string, string> = {},
): Behaviour {
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(text);
}

export function sendHtml(status: number, headers: Record<string, string> = {}): Behaviour {
  const page = '<!doctype html><title>Welcome</title><p>Please sign in to the hotel network.';
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(page);
}

/** Ends the connection instead of answering. */
export const reset: Behaviour = (_, response) => {
  response.socket?.resetAndDestroy();
};

/** Never answers. */
export const stall: Behaviour = () => undefined;

/** Begins an answer, and never goes on. */
export const stallInBody: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"clients":');
};

/** Says how long the answer is, and ends the connection before it is. */
export const truncate: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"clients": [', () => response.socket?.destroy());
};

/** What no server of Node's would send. */
export function sendBytes(bytes: string | Buffer): Behaviour {
  return (_, response) => void response.socket?.end(bytes);
}

/** Sends for ever, and counts what the other side took. */
export function sendEndlessly(onBytes: (bytes: number) => void): Behaviour {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed) {
        onBytes(chunk.length);
        if (!response.write(chunk)) return;
      }
    };
    response.on('drain', more);
    more();
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: text === '' ? {} : JSON.parse(text),
  };
}
