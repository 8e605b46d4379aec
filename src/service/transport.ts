import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
// Behind undici's front door: the door itself loads fetch, caches, proxies and a test kit, several
// MB in a small device's memory. HTTP/2 is off, so the bundle carries no node:http2 either.
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { isAbort, messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';
import type { Answer } from './answer.ts';
import { createTooLargeError, readText } from './gathered.ts';

/** Deadlines in ms. */
export interface TransportLimits {
  readonly connectMs: number;
  /** From the request's end to the answer's headers. */
  readonly headersMs: number;
  /** Between two pieces of the answer's body. */
  readonly bodyMs: number;
}

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Largest answer taken whole, in bytes. */
  readonly bodyLimitBytes: number;
}

export interface OpenAnswer extends Omit<Answer, 'text'> {
  /**
   * The body, once. @throws service-unreachable, answer-truncated (with `maybeSent`), AbortError
   */
  readonly chunks: AsyncGenerator<Buffer>;
  /** Ends the exchange, however much of the body was read; may be repeated. */
  discard(): void;
}

/** Requests to one origin, and to no other: a token given to it cannot go astray. */
export type Transport = ReturnType<typeof createTransport>;

const mostHints = 8;

/**
 * `authority` is asked for at each connection: as PEM, who alone vouches for the other side;
 * undefined: those that Node knows.
 */
export function createTransport(
  origin: string,
  limits: TransportLimits,
  authority: () => string | undefined = () => undefined,
) {
  let tried: string | undefined;
  const find: LookupFunction = (host, options, callback) =>
    dns.lookup(host, options, (error, found, family) => {
      tried = [found].flat().map((one) => (typeof one === 'string' ? one : one?.address))[0];
      callback(error, found, family);
    });
  const findConnector = keepConnector({ timeout: limits.connectMs, lookup: find }, authority);
  const pool = new Pool(origin, {
    allowH2: false,
    // One connection a request: requests are minutes apart, and on a reused one a request can be
    // lost without a trace.
    pipelining: 0,
    connections: 4,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    connect: (options, callback) => {
      findConnector()(options, (...[error, socket]) => {
        if (error === null) callback(null, socket);
        else callback(new NotConnected(error, tried), null);
      });
    },
  });
  const open = async (
    { method, path, headers, body }: Exchange,
    signal: AbortSignal,
  ): Promise<OpenAnswer> => {
    const doing = `${method} ${path}`;
    let hints = 0;
    // Each answer that announces another (1xx) keeps the deadline away, and costs its time.
    const onInfo = () => {
      hints += 1;
      if (hints > mostHints) throw new Error(`more than ${mostHints} hints came before it`);
    };
    const response = await request
      .call(pool, { origin, method, path, headers, body: body ?? null, signal, onInfo })
      .catch((error: unknown) => {
        throw createUnreachableError(error, doing, new URL(origin).host);
      });
    // undici's stream reports an early destroy as an error: without a listener that would end the
    // process.
    response.body.on('error', () => undefined);
    return {
      status: response.statusCode,
      headers: toSingleHeaders(response.headers),
      chunks: readChunks(response.body, doing),
      discard: () => void response.body.destroy(),
    };
  };
  return {
    /**
     * One try, as far as the answer's headers; the body has to be read or discarded. @throws
     * service-unreachable, AbortError
     */
    open,
    /**
     * One try. @throws service-unreachable, answer-too-large, answer-truncated (with `maybeSent`),
     * AbortError
     */
    exchange: async (exchange: Exchange, signal: AbortSignal) =>
      readAnswer(await open(exchange, signal), exchange),
    close: () => pool.destroy(),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/**
 * The connector for the authority of now. Another authority begins with another one, without the
 * sessions of the one before.
 */
function keepConnector(
  options: { timeout: number; lookup: LookupFunction },
  authority: () => string | undefined,
) {
  const create = (ca: string | undefined) => ({
    ca,
    // Aloud, because a variable of the environment could say otherwise.
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

/** A connection (name, TCP or TLS) that did not come about: nothing was sent. */
class NotConnected extends Error {
  /** @param tried the first address of the name, as far as it came */
  constructor(cause: Error, tried: string | undefined) {
    // When every address of a name failed, the error has a code but no message.
    // Node's advice about a root of one's own is an option that the agent refuses.
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

function createUnreachableError(error: unknown, doing: string, host: string): unknown {
  if (isAbort(error)) return error;
  if (error instanceof NotConnected) {
    const message = `${doing}: no connection to ${host}: ${error.message}`;
    return new TributaryError('service-unreachable', message, { cause: error, maybeSent: false });
  }
  // A request that undici would not even take is a mistake of ours.
  if (systemCodeOf(error) === 'UND_ERR_INVALID_ARG') return error;
  const message = `${doing}: no answer from ${host}: ${messageOf(error)}`;
  return new TributaryError('service-unreachable', message, { cause: error, maybeSent: true });
}

function createBrokenError(error: unknown, doing: string): TributaryError {
  const options = { cause: error, maybeSent: true };
  return systemCodeOf(error) === 'UND_ERR_BODY_TIMEOUT'
    ? new TributaryError('service-unreachable', `${doing}: the answer stopped coming`, options)
    : new TributaryError(
        'answer-truncated',
        `${doing}: the answer breaks off: ${messageOf(error)}`,
        options,
      );
}

/** undici gives the names in lower case. */
function toSingleHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]),
  );
}
