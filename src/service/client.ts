import { isAbort } from '../lib/errors.ts';
import { untilFound } from '../lib/once.ts';
import type { Secret } from '../lib/secret.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { judgeAnswer } from './judge.ts';
import {
  type OperationName,
  type OperationRequest,
  type OperationResponse,
  operations,
  type StreamableName,
  type StreamedItem,
} from './operations.ts';
import { prepareExchange } from './prepare.ts';
import { withRetry } from './retry.ts';
import { readList, streamList } from './stream.ts';
import { tellDates } from './tell-dates.ts';
import type { Transport } from './transport.ts';
import { createUnreadTally, type OnUnread, type UnreadTally } from './unread.ts';
import { parseServiceUrl, type ServiceAddress } from './url.ts';

/** The service's operations as calls. */
export interface ServiceClient {
  /**
   * Calls one operation. It is tried up to three times where repeating it does no harm.
   * @throws signed-out without a token where one is needed; usage-invalid for a request that does
   * not fit; the codes of `judgeAnswer`; service-unreachable, answer-too-large, answer-truncated;
   * AbortError when the signal aborts
   */
  call<Name extends OperationName>(
    name: Name,
    request: OperationRequest<Name>,
    options?: CallOptions & Keep<Name>,
  ): Promise<OperationResponse<Name>>;
  /**
   * The items of an answer's only list, one by one while it arrives. Opening the answer is retried
   * as a call is. Once items came, a failure is thrown to the caller.
   * @throws codes of `call`; answer-too-large for 16 MiB without an item, or 100,000 items
   */
  stream<Name extends StreamableName>(
    name: Name,
    request: OperationRequest<Name>,
    options?: CallOptions,
  ): AsyncIterable<StreamedItem<Name>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface CallOptions {
  /** Sent only to operations that ask for a token. */
  readonly token?: Secret | undefined;
  /** Aborts the call; without it, only deadlines end a call. */
  readonly signal?: AbortSignal;
  /** Called once for a good answer of which something was left out. */
  readonly onUnread?: OnUnread | undefined;
}

interface Keep<Name extends OperationName> {
  /**
   * Which items of an answer's list to return. The others are read and dropped. By default all are
   * returned.
   */
  readonly keep?: Name extends StreamableName ? (item: StreamedItem<Name>) => boolean : never;
}

/** One try of a call, for callers that want to know whether the service can be reached. */
export interface Attempt {
  readonly operation: OperationName;
  /** Counted from 1. */
  readonly number: number;
  readonly durationMs: number;
  readonly outcome: 'ok' | ServiceErrorCode;
}

export interface ServiceClientOptions extends ServiceAddress {
  readonly fetchLimits?: Partial<FetchLimits>;
  /** A number from 0 to 1, for the random part of delays. */
  readonly random?: () => number;
  /** The most tries of one call; 3 by default. */
  readonly tries?: number;
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Called with the time by the service's clock (ms since 1970) where an answer names it. */
  readonly onDate?: (serviceMs: number) => void;
}

/** Deadlines in ms, limits in bytes. */
const defaultLimits = {
  connectMs: 10_000,
  headersMs: 30_000,
  bodyMs: 30_000,
  /** For the whole call: all its tries and the waits between them. */
  callMs: 120_000,
  /** For an answer that is parsed as a whole. A list is read item by item instead. */
  bodyBytes: 1.5 * 1024 ** 2,
};
type FetchLimits = Readonly<typeof defaultLimits>;

/**
 * Makes a client for one service. Nothing is sent yet.
 * @throws insecure-url, configuration-invalid
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const base = parseServiceUrl(options);
  const limits: FetchLimits = { ...defaultLimits, ...options.fetchLimits };
  // Loaded at the first call: it is the larger half of the client.
  const connect = async () => {
    const { createTransport } = await import('./transport.ts');
    const transport = createTransport(base.origin, limits, options);
    return options.onDate === undefined ? transport : tellDates(transport, options.onDate);
  };
  let connecting: Promise<Transport | undefined> = Promise.resolve(undefined);
  const findTransport = untilFound(() => {
    const found = connect();
    connecting = found.catch(() => undefined);
    return found;
  });
  const tryRepeatedly = createTries(options);
  const close = async () => (await connecting)?.close();
  return {
    call: async (name, request, { token, signal = never(), keep, onUnread } = {}) => {
      const exchange = prepareExchange({
        base,
        bodyLimitBytes: limits.bodyBytes,
        name,
        request,
        token,
      });
      const transport = await findTransport();
      return callWithin({ callMs: limits.callMs, name, signal }, (callSignal) => {
        const read = async (unread: UnreadTally) => {
          if (isStreamable(name)) {
            const streaming = { name, exchange, transport, signal: callSignal, unread };
            return readList(streaming, keep as KeepAny);
          }
          const answer = await transport.exchange(exchange, callSignal);
          const { secrets } = exchange;
          return judgeAnswer({ name, answer, secrets, nowMs: Date.now(), unread });
        };
        const act = async () => {
          const unread = createUnreadTally(name, onUnread);
          const response = await read(unread);
          unread.tell();
          return response;
        };
        type Response = OperationResponse<typeof name>;
        return tryRepeatedly(
          { name, caller: signal, signal: callSignal },
          act as () => Promise<Response>,
        );
      });
    },
    stream: async function* (name, request, { token, signal = never(), onUnread } = {}) {
      const exchange = prepareExchange({
        base,
        bodyLimitBytes: limits.bodyBytes,
        name,
        request,
        token,
      });
      const transport = await findTransport();
      const tryOpening = <T>(open: () => Promise<T>) =>
        tryRepeatedly({ name, caller: signal, signal }, open);
      const unread = createUnreadTally(name, onUnread);
      yield* streamList({ name, exchange, transport, signal, unread, tryOpening });
      unread.tell();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const never = () => new AbortController().signal;

type KeepAny = ((item: unknown) => boolean) | undefined;

function isStreamable(name: OperationName): name is StreamableName {
  return 'list' in operations[name];
}

interface Tries {
  readonly name: OperationName;
  /**
   * Distinguishes a call that was aborted, which says nothing about the service, from one that ran
   * out of time.
   */
  readonly caller: AbortSignal;
  /** Ends the tries and the waits between them. */
  readonly signal: AbortSignal;
}

function createTries({ onAttempt, random = Math.random, tries = 3 }: ServiceClientOptions) {
  return <T>({ name, caller, signal }: Tries, act: () => Promise<T>): Promise<T> => {
    const tryOnce = async (number: number) => {
      const startedAtMs = performance.now();
      const report = (outcome: Attempt['outcome']) =>
        onAttempt?.({
          operation: name,
          number,
          durationMs: performance.now() - startedAtMs,
          outcome,
        });
      try {
        const result = await act();
        report('ok');
        return result;
      } catch (error) {
        if (!caller.aborted && error instanceof ServiceError) report(error.code);
        else if (!caller.aborted && isAbort(error)) report('service-unreachable');
        throw error;
      }
    };
    return withRetry({ repeat: operations[name].repeat, random, tries }, tryOnce, signal);
  };
}

/**
 * Runs `act` until the caller's signal or the deadline aborts it. Its one listener is removed
 * again.
 */
async function callWithin<T>(
  { callMs, name, signal }: Pick<FetchLimits, 'callMs'> & Omit<Tries, 'caller'>,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onAbort, callMs);
  try {
    controller.signal.throwIfAborted();
    return await act(controller.signal);
  } catch (error) {
    if (signal.aborted) throw controller.signal.reason;
    if (!isAbort(error)) throw error;
    const message = `${operations[name].path}: no whole answer within ${callMs / 1000} s`;
    throw new ServiceError('service-unreachable', message, { cause: error, maybeSent: true });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
