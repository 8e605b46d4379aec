import { TributaryError } from '../lib/errors.ts';
import { judgeAnswer, judgeBody } from './judge.ts';
import { judgeStatus } from './judge-status.ts';
import { createListReader } from './list-reader.ts';
import { operations, type StreamableName, type StreamedItem } from './operations.ts';
import type { PreparedExchange } from './prepare.ts';
import { createTooLargeError, type OpenAnswer, readText, type Transport } from './transport.ts';
import { fromWire } from './wire-case.ts';

/** Also the longest way from one item to the next: an answer that goes on without any ends there. */
const itemLimitBytes = 1024 ** 2;

interface Streaming<Name extends StreamableName> {
  readonly name: Name;
  readonly exchange: PreparedExchange;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  /** Makes the tries of the opening. */
  readonly tryRepeatedly: (open: () => Promise<OpenList>) => Promise<OpenList>;
}

/** An answer that has begun to be what was asked for. */
type OpenList = Pick<OpenAnswer, 'chunks' | 'discard'>;

/** Opens an answer and reads its list; see `ServiceClient.stream`. */
export async function* streamList<Name extends StreamableName>(
  streaming: Streaming<Name>,
): AsyncGenerator<StreamedItem<Name>> {
  const { name, exchange, signal } = streaming;
  try {
    signal.throwIfAborted();
    const list = await streaming.tryRepeatedly(() => openList(streaming));
    try {
      for await (const item of readItems(name, exchange, list.chunks)) {
        signal.throwIfAborted();
        yield item as StreamedItem<Name>;
      }
    } finally {
      list.discard();
    }
  } catch (error) {
    throw signal.aborted ? new DOMException('the stream was aborted', 'AbortError') : error;
  }
}

/** @throws the codes of `judgeAnswer`, as far as status, headers and the first bytes tell */
async function openList({ name, exchange, transport, signal }: Streaming<StreamableName>): Promise<OpenList> {
  const { status, headers, chunks, discard } = await transport.open(exchange, signal);
  try {
    const head = await readHead(chunks);
    const body = rejoin(head, chunks);
    const begun = { name, secrets: exchange.secrets, nowMs: Date.now() };
    const text = head.toString('utf8').trim();
    if (judgeStatus({ ...begun, answer: { status, headers, text } }) !== undefined || !text.startsWith('{')) {
      // No list will come of it: what is wrong is said as it is of a call's answer.
      judgeAnswer({ ...begun, answer: { status, headers, text: await readText(body, exchange) } });
    }
    return { chunks: body, discard };
  } catch (error) {
    discard();
    throw error;
  }
}

/** The body up to its first chunk that is not blank. */
async function readHead(chunks: OpenAnswer['chunks']): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length <= itemLimitBytes && head.toString('utf8').trim() === '') {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

async function* rejoin(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

async function* readItems(
  name: StreamableName,
  exchange: PreparedExchange,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<unknown> {
  const { secrets } = exchange;
  const reader = createListReader(operations[name].list);
  let count = 0;
  let bytesSinceItem = 0;
  for await (const chunk of chunks) {
    // A piece may hold the next item's end, so what is in it counts only once it did not.
    if (bytesSinceItem > itemLimitBytes) {
      throw createTooLargeError({ ...exchange, bodyLimitBytes: itemLimitBytes }, 'an item of the answer');
    }
    bytesSinceItem += chunk.length;
    const { found, isJson } = reader.read(chunk);
    for (const { isItem, key, value } of found) {
      const body = { [key]: isItem ? [value] : value };
      const judged = judgeBody({ name, body, secrets, firstIndex: count });
      if (!isItem) continue;
      yield fromWire((judged[key] as readonly unknown[])[0]);
      count += 1;
      bytesSinceItem = 0;
    }
    if (!isJson) throw createUnreadableError(exchange, 'answer-not-json', 'the answer is not JSON');
  }
  if (!reader.isEnded()) throw createUnreadableError(exchange, 'answer-truncated', 'the answer breaks off');
}

function createUnreadableError(
  { method, path }: PreparedExchange,
  code: 'answer-not-json' | 'answer-truncated',
  why: string,
): TributaryError {
  return new TributaryError(code, `${method} ${path}: ${why}`, { maybeSent: true });
}
