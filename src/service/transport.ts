import type { Socket } from 'node:net';
// These are inner parts of undici. Its main module also loads fetch, caches, proxies and a test
// kit, which is several MB of a small device's memory. HTTP/2 is off, so the bundle needs no
// node:http2 either.
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { connectSecurely } from '../lib/connect-in-turn.ts';
import { isAbort, messageOf, systemCodeOf } from '../lib/errors.ts';
import { toPlainReason } from '../lib/plain-reason.ts';
import type { Answer } from './answer.ts';
import { ServiceError } from './errors.ts';
import { createTooLargeError, readText } from './gathered.ts';
import type { ServiceAddress } from './url.ts';

/** Deadlines in ms. */
export interface TransportLimits {
  readonly connectMs: number;
  /** From the end of the request to the headers of the answer. */
  readonly headersMs: number;
  /** Between two pieces of the answer's body. */
  readonly bodyMs: number;
}

export interface Exchange {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The largest answer that is read whole, in bytes. */
  readonly bodyLimitBytes: number;
}

export interface OpenAnswer extends Omit<Answer, 'text'> {
  /**
   * The body, which can be read once.
   * @throws service-unreachable, answer-truncated (with `maybeSent`), AbortError
   */
  readonly chunks: AsyncGenerator<Buffer>;
  /** Ends the exchange, however much of the body was read. May be repeated. */
  discard(): void;
}

/** Requests to one origin and to no other, so a token that it is given cannot go astray. */
export interface Transport extends AsyncDisposable {
  /**
   * Makes one try up to the headers of the answer. The body has to be read or discarded.
   * @throws service-unreachable (with `maybeSent`), AbortError
   */
  open(exchange: Exchange, signal: AbortSignal): Promise<OpenAnswer>;
  /**
   * Makes one try and reads the whole answer.
   * @throws service-unreachable, answer-too-large, answer-truncated (with `maybeSent`), AbortError
   */
  exchange(exchange: Exchange, signal: AbortSignal): Promise<Answer>;
  /** Ends every exchange that is still open. */
  close(): Promise<void>;
}

const mostHints = 8;

/** @param ways how the other side is found, and known */
export function createTransport(
  origin: string,
  limits: TransportLimits,
  ways: Pick<ServiceAddress, 'certificateAuthority' | 'names'> = {},
): Transport {
  const { certificateAuthority: authority = () => undefined, names } = ways;
  const findConnector = keepConnector({ timeout: limits.connectMs }, authority);
  const closed = new AbortController();
  const pool = new Pool(origin, {
    allowH2: false,
    // Each request has its own connection. Requests are minutes apart, and on a reused connection a
    // request can be lost without a trace.
    pipelining: 0,
    connections: 4,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    connect: (options, callback) => {
      const { hostname, protocol, port } = options;
      const target = {
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(port) || (protocol === 'https:' ? 443 : 80),
        timeoutMs: limits.connectMs,
        names,
      };
      const secure = (httpSocket: Socket) =>
        new Promise<Socket>((resolve, reject) => {
          if (protocol !== 'https:') return resolve(httpSocket.setNoDelay(true));
          const tried = httpSocket.remoteAddress;
          findConnector()({ ...options, httpSocket }, (...[error, socket]) => {
            if (error === null) resolve(socket);
            else reject(new NotConnected(error, tried));
          });
        });
      connectSecurely(target, secure, closed.signal).then(
        (socket) => callback(null, socket),
        (error: Error) =>
          callback(
            error instanceof NotConnected ? error : new NotConnected(error, undefined),
            null,
          ),
      );
    },
  });
  const open = async (
    { method, path, headers, body }: Exchange,
    signal: AbortSignal,
  ): Promise<OpenAnswer> => {
    const doing = `${method} ${path}`;
    let hints = 0;
    // Each interim answer (1xx) restarts undici's deadline, so only a few are allowed.
    const onInfo = () => {
      hints += 1;
      if (hints > mostHints) throw new Error(`more than ${mostHints} hints came before it`);
    };
    const response = await request
      .call(pool, { origin, method, path, headers, body: body ?? null, signal, onInfo })
      .catch((error: unknown) => {
        const { host } = new URL(origin);
        throw createUnreachableError(error, { doing, host, headersMs: limits.headersMs });
      });
    // undici's stream reports an early end as an error, which would end the process if nothing
    // listened.
    response.body.on('error', () => undefined);
    return {
      status: response.statusCode,
      headers: toSingleHeaders(response.headers),
      chunks: readChunks(response.body, doing),
      discard: () => void response.body.destroy(),
    };
  };
  const close = () => {
    closed.abort();
    return pool.destroy();
  };
  return {
    open,
    exchange: async (exchange, signal) => readAnswer(await open(exchange, signal), exchange),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * The connector for the present authority. A changed authority begins with a new one, without the
 * former sessions.
 */
function keepConnector(options: { timeout: number }, authority: () => string | undefined) {
  const create = (ca: string | undefined) => ({
    ca,
    // This is set explicitly, because a variable of the environment could switch it off.
    connect: buildConnector({
      ...options,
      allowH2: false,
      rejectUnauthorized: true,
      ...(ca && { ca }),
    }),
  });
  let kept = create(authority());
  return () => {
    const ca = authority();
    if (ca !== kept.ca) kept = create(ca);
    return kept.connect;
  };
}

/** A connection (name, TCP or TLS) that was not made, so nothing was sent. */
class NotConnected extends Error {
  /** @param tried the first address of the name, if one was found */
  constructor(cause: Error, tried: string | undefined) {
    // When every address of a name failed, the error has a code but no message. Node's advice about
    // a root certificate names an option that the agent refuses, so it is removed.
    const message = messageOf(cause).replace(/; if the root CA .*$/, '');
    const said = message || (systemCodeOf(cause) ?? 'every address failed');
    super(tried === undefined || said.includes(tried) ? said : `${said} (${tried})`, { cause });
    this.name = 'NotConnected';
  }
}

async function* readChunks(body: AsyncIterable<Buffer>, doing: string): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw isAbort(error) ? error : createBrokenError(error, doing);
  }
}

async function readAnswer(open: OpenAnswer, exchange: Exchange): Promise<Answer> {
  const { status, headers } = open;
  try {
    if (Number(headers['content-length']) > exchange.bodyLimitBytes)
      throw createTooLargeError(exchange, 'the answer');
    return { status, headers, text: await readText(open.chunks, exchange) };
  } finally {
    open.discard();
  }
}

interface Tried extends Pick<TransportLimits, 'headersMs'> {
  readonly doing: string;
  readonly host: string;
}

function createUnreachableError(error: unknown, { doing, host, headersMs }: Tried): unknown {
  if (isAbort(error)) return error;
  if (error instanceof NotConnected) {
    // Such a certificate is looked at with this device's own clock.
    const orClock = /certificate (is not yet valid|has expired)/.test(error.message)
      ? "; if the service's certificate is right, this device's clock is wrong"
      : '';
    const message = `${doing}: no connection to ${host}: ${toPlainReason(error.message)}${orClock}`;
    return new ServiceError('service-unreachable', message, { cause: error, maybeSent: false });
  }
  // If undici does not accept a request, that is a bug of ours.
  if (systemCodeOf(error) === 'UND_ERR_INVALID_ARG') return error;
  const why =
    systemCodeOf(error) === 'UND_ERR_HEADERS_TIMEOUT'
      ? ` within ${headersMs / 1000} s, although it took the request`
      : `: ${toPlainReason(messageOf(error))}`;
  const message = `${doing}: no answer from ${host}${why}`;
  return new ServiceError('service-unreachable', message, { cause: error, maybeSent: true });
}

function createBrokenError(error: unknown, doing: string): ServiceError {
  const options = { cause: error, maybeSent: true };
  return systemCodeOf(error) === 'UND_ERR_BODY_TIMEOUT'
    ? new ServiceError('service-unreachable', `${doing}: the answer stopped coming`, options)
    : new ServiceError(
        'answer-truncated',
        `${doing}: the answer breaks off: ${toPlainReason(messageOf(error))}`,
        options,
      );
}

/** undici gives the names of headers in lower case. */
function toSingleHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]),
  );
}
