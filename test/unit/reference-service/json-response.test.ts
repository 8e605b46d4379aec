import { expect, onTestFinished, test } from 'vitest';
import { dialects } from '../../../src/reference-service/dialect.ts';
import { toJsonResponse } from '../../../src/reference-service/json-response.ts';
import { listenOn } from '../../../src/reference-service/listener.ts';
import { toWirePages } from '../../../src/reference-service/pages.ts';

function* count(pages: number) {
  for (let page = 0; page < pages; page += 1) yield [page, page + 0.5];
}

const toText = (answer: object) => toJsonResponse(answer, () => {}).text();

test('an answer in pages is the same JSON as one in one piece', async () => {
  for (const pages of [1, 2, 5]) {
    const answer = { first: 'x', left_out: undefined, list: count(pages), last: { a: [1, null] } };
    expect(JSON.parse(await toText(answer))).toEqual({
      ...answer,
      left_out: undefined,
      list: [...count(pages)].flat(),
    });
  }
  expect(await toText({ one: count(1), other: count(2), none: [] })).toBe(
    '{"one":[0,0.5],"other":[0,0.5,1,1.5],"none":[]}',
  );
  expect(await toText({ left_out: undefined, list: count(1) })).toBe('{"list":[0,0.5]}');
});

test('a list without anything is written as the dialect writes it', () => {
  expect(toWirePages(dialects.documented, count(0))).toEqual([]);
  expect(toWirePages(dialects.production, count(0))).toBeNull();
});

test('a page is made when the last one was taken', async () => {
  let made = 0;
  const pages = count(1000);
  const counted = pages.map((page) => {
    made += 1;
    return page;
  });
  const reader = toJsonResponse({ list: counted }, () => {}).body?.getReader();
  await reader?.read();
  expect(made).toBeLessThan(4);
  await reader?.cancel();
  expect(pages.next().done).toBe(true);
});

test('a caller who leaves ends it, and one who stays is not told half of it as a whole', async () => {
  const errors: unknown[] = [];
  const answer = () => toJsonResponse({ list: failAfter(3) }, (error) => errors.push(error));
  const listener = await listenOn(answer, { address: '127.0.0.1', port: 0 });
  onTestFinished(() => listener.close());
  const response = await fetch(`http://127.0.0.1:${listener.port}/`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect(errors).toEqual([new Error('broken')]);
});

function* failAfter(pages: number) {
  yield* count(pages);
  throw new Error('broken');
}
