import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { PostAnswer, PostControl } from './control-client.ts';

export interface HttpPostOptions {
  readonly url: string;
  /** Read for each request. Without one, nothing is sent. */
  readonly token: () => string | undefined;
  /** Certificates in PEM form that are trusted in place of Node's own. */
  readonly authority?: string | undefined;
  /** Told how each request ended, with the token that it had. */
  readonly onOutcome: (outcome: PostOutcome, token: string) => void;
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
 * `PostControl` over HTTP or HTTPS. A request whose connection was not made was certainly not sent;
 * whatever goes wrong after that may have been carried out.
 */
export function createHttpPost(options: HttpPostOptions): PostControl {
  const isSecure = options.url.startsWith('https:');
  const connections = { keepAlive: true, maxSockets: mostConnections, timeout: keepFor };
  // Said aloud, because a variable of the environment could switch it off.
  const trust = { rejectUnauthorized: true, ...(options.authority && { ca: options.authority }) };
  const agent = isSecure
    ? new HttpsAgent({ ...connections, ...trust })
    : new HttpAgent(connections);
  const open = isSecure ? requestHttps : requestHttp;

  return async (body, signal) => {
    const token = options.token();
    if (token === undefined) return { kind: 'not-sent', message: 'there is no good token' };
    if (signal.aborted) return { kind: 'not-sent', message: 'given up' };
    const sent = open(options.url, {
      agent,
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      },
    });
    const { answer, outcome } = await finish(sent, body, signal);
    // What we gave up ourselves says nothing about the service.
    if (!signal.aborted) options.onOutcome(outcome, token);
    return answer;
  };
}

interface Finished {
  readonly answer: PostAnswer;
  readonly outcome: PostOutcome;
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
