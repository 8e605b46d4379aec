import { setImmediate } from 'node:timers/promises';
import { isPages } from './pages.ts';

/**
 * An answer as JSON over HTTP. One with a list in pages goes out by the page, as fast as the caller takes it, and other
 * requests get their turn in between. What fails halfway is told to `onError` and breaks the connection: half an answer
 * must not look like a whole one.
 */
export function toJsonResponse(answer: object, onError: (error: unknown) => void): Response {
  if (!Object.values(answer).some(isPages)) return Response.json(answer);
  const body = ReadableStream.from(toPieces(answer, onError));
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

async function* toPieces(answer: object, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  try {
    for (const text of toTexts(answer)) {
      yield encoder.encode(text);
      await setImmediate();
    }
  } catch (error) {
    onError(error);
    throw error;
  }
}

/** The answer's text, one piece for each page. */
function* toTexts(answer: object): Generator<string> {
  let text = '{';
  const fields = Object.entries(answer).filter(([, value]) => value !== undefined);
  for (const [index, [name, value]] of fields.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (!isPages(value)) {
      text += JSON.stringify(value);
      continue;
    }
    let opening = '[';
    for (const page of value) {
      yield `${text}${opening}${page.map((item) => JSON.stringify(item)).join(',')}`;
      text = '';
      opening = ',';
    }
    text += ']';
  }
  yield `${text}}`;
}
