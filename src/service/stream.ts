import { setImmediate } from 'node:timers/promises';
import { createAnswerError } from './answer.ts';
import { createTooLargeError, readText } from './gathered.ts';
import { judgeAnswer, judgeBody } from './judge.ts';
import { judgeStatus } from './judge-status.ts';
import { createListReader, type Fault, type Found, itemLimitBytes } from './list-reader.ts';
import {
  type OperationResponse,
  operations,
  type StreamableName,
  type StreamedItem,
} from './operations.ts';
import type { PreparedExchange } from './prepare.ts';
import type { OpenAnswer, Transport } from './transport.ts';
import type { UnreadTally } from './unread.ts';
import { fromWire, toCamel } from './wire-case.ts';

/** No network has more. The limit is needed because an item can be as short as `{},`. */
const mostItems = 100_000;
/**
 * How many bytes of a list's text are kept at most; and what an item costs besides, because most of
 * its fields are absent.
 */
const mostKeptBytes = 16 * 1024 ** 2;
const costOfItem = 300;
/** How many bytes may come without an item; so much of one that is too large is skipped. */
const mostSkippedBytes = 16 * 1024 ** 2;
const pieceBytes = 16 * 1024;
/**
 * After this many items the rest of the program gets its turn: a piece of an answer can hold twenty
 * thousand.
 */
const itemsATurn = 100;

export interface Streaming<Name extends StreamableName> {
  readonly name: Name;
  readonly exchange: PreparedExchange;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  /** Told of what is left out of the answer. */
  readonly unread: UnreadTally;
  /** Repeats the opening of the answer; absent where the caller repeats the whole call. */
  readonly tryOpening?: (open: () => Promise<OpenList>) => Promise<OpenList>;
}

type OpenList = Pick<OpenAnswer, 'chunks'> & Disposable;

/** Opens an answer and reads its list, see `ServiceClient.stream`. */
export async function* streamList<Name extends StreamableName>(
  streaming: Streaming<Name>,
): AsyncGenerator<StreamedItem<Name>> {
  for await (const { item } of streamParts(streaming)) yield item as StreamedItem<Name>;
}

/**
 * The whole answer, with the items of its list that `keep` accepts.
 * @throws answer-too-large if they take too much memory
 */
export async function readList<Name extends StreamableName>(
  streaming: Streaming<Name>,
  keep: (item: StreamedItem<Name>) => boolean = () => true,
): Promise<OperationResponse<Name>> {
  const { name, exchange } = streaming;
  const beside: Record<string, unknown> = Object.create(null);
  const kept: unknown[] = [];
  let cost = 0;
  for await (const { item, bytes } of streamParts(streaming, beside)) {
    if (!keep(item as StreamedItem<Name>)) continue;
    cost += bytes + costOfItem;
    if (cost > mostKeptBytes)
      throw createAnswerError(
        'answer-too-large',
        exchange,
        `the answer is longer than ${mostKeptBytes} bytes`,
      );
    kept.push(item);
  }
  // The values of fields that did not come.
  const absent = judgeBody({ name, body: {}, secrets: exchange.secrets });
  return {
    ...fromWire({ ...absent, ...beside }),
    [toCamel(operations[name].list)]: kept,
  } as OperationResponse<Name>;
}

type Part = NonNullable<ReturnType<typeof takePart>>;

/** @param beside called with the other fields of the answer, after they were checked */
async function* streamParts(
  streaming: Streaming<StreamableName>,
  beside: Record<string, unknown> = {},
): AsyncGenerator<Part> {
  const { name, exchange, signal, unread, tryOpening = (open) => open() } = streaming;
  try {
    signal.throwIfAborted();
    using list = await tryOpening(() => openList(streaming));
    for await (const part of readParts({ name, exchange, beside, unread }, list.chunks)) {
      signal.throwIfAborted();
      yield part;
    }
  } catch (error) {
    throw signal.aborted ? new DOMException('the stream was aborted', 'AbortError') : error;
  }
}

/**
 * Opens the answer and judges it by status, headers and first bytes.
 * @throws the codes of `judgeAnswer`
 */
async function openList({
  name,
  exchange,
  transport,
  signal,
}: Streaming<StreamableName>): Promise<OpenList> {
  const { status, headers, chunks, discard } = await transport.open(exchange, signal);
  try {
    const head = await readHead(chunks);
    const body = rejoin(head, chunks);
    const begun = { name, secrets: exchange.secrets, nowMs: Date.now() };
    const text = head.toString('utf8').trim();
    if (
      judgeStatus({ ...begun, answer: { status, headers, text } }) !== undefined ||
      !text.startsWith('{')
    ) {
      // The answer has no list. So it is judged whole, as the answer of a call is.
      judgeAnswer({ ...begun, answer: { status, headers, text: await readText(body, exchange) } });
    }
    return { chunks: body, [Symbol.dispose]: discard };
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

/**
 * The whole body in pieces that hold few items, because what is read of a piece is held until all
 * of it is used.
 */
async function* rejoin(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for await (const chunk of rest) {
    for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
  }
}

type Reading = Pick<Streaming<StreamableName>, 'name' | 'exchange' | 'unread'> &
  Readonly<{ beside: Record<string, unknown> }>;

async function* readParts(reading: Reading, chunks: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const { name, exchange } = reading;
  const reader = createListReader(operations[name].list);
  let count = 0;
  let bytesSinceItem = 0;
  for await (const chunk of chunks) {
    // A piece may hold the end of the next item, so its bytes only count if it did not.
    if (bytesSinceItem > mostSkippedBytes) throwFault(exchange, 'too-large');
    bytesSinceItem += chunk.length;
    const { found, fault } = reader.read(chunk);
    for (const one of found) {
      const part = takePart(reading, one, count);
      if (one.isItem) {
        count = await countItem(exchange, count);
        bytesSinceItem = 0;
      }
      if (part !== undefined) yield part;
    }
    throwFault(exchange, fault);
  }
  if (!reader.isEnded())
    throw createAnswerError('answer-truncated', exchange, 'the answer breaks off');
}

/** One item more. @throws answer-too-large */
async function countItem(exchange: PreparedExchange, before: number): Promise<number> {
  if (before === mostItems)
    throw createAnswerError(
      'answer-too-large',
      exchange,
      `the answer holds more than ${mostItems} items`,
    );
  const count = before + 1;
  if (count % itemsATurn === 0) await setImmediate();
  return count;
}

/**
 * Checks an item and returns it, or undefined where it cannot be read; another field is put beside
 * the list.
 */
function takePart(
  { name, exchange, beside, unread }: Reading,
  { isItem, key, value, bytes, isTooLarge }: Found,
  firstIndex: number,
) {
  if (isTooLarge) {
    if (!isItem && [operations[name].list, 'error'].includes(key))
      throwFault(exchange, 'too-large');
    unread.add(`${isItem ? `${key}.${firstIndex}` : 'a field'}: larger than what is taken`);
    return undefined;
  }
  const judged = judgeBody({
    name,
    body: { [key]: isItem ? [value] : value },
    secrets: exchange.secrets,
    unread,
    firstIndex,
  });
  if (isItem) {
    const [item] = judged[key] as readonly unknown[];
    return item === undefined ? undefined : { item: fromWire(item), bytes };
  }
  if (Object.hasOwn(judged, key)) beside[key] = judged[key];
  return undefined;
}

function throwFault(exchange: PreparedExchange, fault: Fault | undefined): void {
  if (fault === 'too-large') {
    throw createTooLargeError(
      { ...exchange, bodyLimitBytes: itemLimitBytes },
      'an item of the answer',
    );
  }
  if (fault === 'not-json')
    throw createAnswerError('answer-not-json', exchange, 'the answer is not JSON');
}
