import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { PostAnswer } from './control-client.ts';

/** Sends a request, and resolves with what came of it. */
type Exchange = (
  of: {
    readonly method: 'GET' | 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string | number>>;
    readonly body?: string;
  },
  signal: AbortSignal,
) => Promise<Finished>;

interface Finished {
  readonly answer: PostAnswer;
  readonly outcome: PostOutcome;
}

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly error: Error };

/** The service waits up to three seconds for what a contract of ours answers. */
const longestRequest = 15_000;
const longestAnswer = 1024 * 1024;
/** Asks for contracts come in bursts, one for each consumer. */
const mostConnections = 16;
/**
 * A connection is kept for the next ask of a burst. The service closes idle ones, and a request on
 * a connection that is just being closed may be lost; so ours is closed first.
 */
const keepFor = 4000;

/**
 * Requests to one service over HTTP or HTTPS, as the scheme of its first address says. A request
 * whose connection was not made was certainly not sent; whatever goes wrong after that may have
 * been carried out.
 */
export function createExchange(of: {
  readonly isSecure: boolean;
  /** Certificates in PEM form that are trusted in place of Node's own. */
  readonly authority: string | undefined;
}): Exchange {
  const connections = { keepAlive: true, maxSockets: mostConnections, timeout: keepFor };
  // Said aloud, because a variable of the environment could switch it off.
  const trust = { rejectUnauthorized: true, ...(of.authority && { ca: of.authority }) };
  const agent = of.isSecure
    ? new HttpsAgent({ ...connections, ...trust })
    : new HttpAgent(connections);
  const open = of.isSecure ? requestHttps : requestHttp;
  return ({ method, url, headers, body = '' }, signal) =>
    finish(open(url, { agent, method, headers }), body, signal);
}

function finish(sent: ClientRequest, body: string, signal: AbortSignal): Promise<Finished> {
  let mayBeSent = false;
  sent.once('socket', (socket) => {
    const opens = 'encrypted' in socket ? 'secureConnect' : 'connect';
    if (socket.connecting) socket.once(opens, () => (mayBeSent = true));
    else mayBeSent = true;
  });
  const { promise, resolve } = Promise.withResolvers<Finished>();
  const fail = (error: Error): void => {
    const message = error.message || ((error as NodeJS.ErrnoException).code ?? 'no connection');
    const kind = mayBeSent ? 'lost' : 'not-sent';
    resolve({ answer: { kind, message }, outcome: { kind: 'failed', error } });
  };
  // A request that waits for a connection says nothing when it is given up.
  const giveUp = (error: Error): void => {
    fail(error);
    sent.destroy();
  };
  const abort = (): void => giveUp(new Error('given up'));
  const deadline = setTimeout(() => giveUp(new Error('no answer in time')), longestRequest);
  signal.addEventListener('abort', abort, { once: true });
  sent.on('error', fail);
  sent.once('response', (response) => {
    const parts: Buffer[] = [];
    let length = 0;
    response.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length > longestAnswer) giveUp(new Error('the answer is too long'));
    });
    response.on('error', fail);
    response.once('end', () => {
      const status = response.statusCode ?? 0;
      const text = Buffer.concat(parts).toString('utf8');
      resolve({
        answer: { kind: 'answered', status, text },
        outcome: { kind: 'answered', status },
      });
    });
  });
  sent.end(body);
  return promise.finally(() => {
    clearTimeout(deadline);
    signal.removeEventListener('abort', abort);
  });
}
