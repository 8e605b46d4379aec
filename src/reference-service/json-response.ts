import { setImmediate } from 'node:timers/promises';
import type { ServedProfile } from './profile.ts';

/**
 * A list in parts, none of them empty. Each is made when it is asked for, so that thousands of rows
 * are never held at once.
 */
export type Pages<Item> = Iterable<readonly Item[]>;

type Dialect = Pick<ServedProfile, 'emptyIsNull' | 'omittedZeros'>;
type OnError = (error: unknown) => void;

/**
 * Answers in JSON over HTTP in the form of the profile. A list in pages is written page by page,
 * and a frozen answer is written only once.
 */
export function createResponder(profile: Dialect) {
  const write = createWriter(profile);
  const headers = { 'content-type': 'application/json' };
  const written = new WeakMap<object, Uint8Array<ArrayBuffer>>();
  return (answer: object, onError: OnError): Response => {
    if (Object.isFrozen(answer)) {
      const bytes = written.get(answer) ?? new TextEncoder().encode(write(answer));
      written.set(answer, bytes);
      return new Response(bytes, { headers });
    }
    if (!Object.values(answer).some(isPages)) return new Response(write(answer), { headers });
    const pieces = renderPieces(answer, write);
    // The first piece is made at once, so that an early failure is thrown here like any other.
    const first = pieces.next();
    return new Response(ReadableStream.from(encodePieces(first, pieces, onError)), { headers });
  };
}

function createWriter({ emptyIsNull, omittedZeros }: Dialect): (value: unknown) => string {
  if (!emptyIsNull && omittedZeros.length === 0) return (value) => JSON.stringify(value);
  const replace = (name: string, value: unknown) => {
    if (value === 0 && omittedZeros.includes(name)) return undefined;
    return emptyIsNull && Array.isArray(value) && value.length === 0 ? null : value;
  };
  return (value) => JSON.stringify(value, replace);
}

/**
 * Writes at the caller's pace, with other requests in between. A failure breaks the connection,
 * because half an answer must not look complete.
 */
async function* encodePieces(
  first: IteratorResult<string>,
  rest: Generator<string>,
  onError: OnError,
) {
  const encoder = new TextEncoder();
  try {
    for (let piece = first; piece.done !== true; piece = rest.next()) {
      yield encoder.encode(piece.value);
      await setImmediate();
    }
  } catch (error) {
    onError(error);
    throw error;
  } finally {
    rest.return(undefined);
  }
}

function* renderPieces(answer: object, write: ReturnType<typeof createWriter>): Generator<string> {
  let text = '{';
  let separator = '';
  for (const [name, value] of Object.entries(answer)) {
    const field = isPages(value) ? `${write(name)}:` : write({ [name]: value }).slice(1, -1);
    if (field === '') continue;
    text += separator + field;
    separator = ',';
    if (!isPages(value)) continue;
    let opening = '[';
    for (const page of value) {
      yield text + opening + page.map(write).join(',');
      text = '';
      opening = ',';
    }
    text += opening === '[' ? write([]) : ']';
  }
  yield `${text}}`;
}

/** True for a list in pages, which is no value of JSON. */
function isPages(value: unknown): value is Pages<unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value
  );
}
