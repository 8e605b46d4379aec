import { expect, onTestFinished, test, vi } from 'vitest';
import { createResponder } from '../../src/reference-service/json-response.ts';
import { listenOn } from '../../src/reference-service/listener.ts';
import { servedProfiles } from '../../src/reference-service/profile.ts';
import type { ProfileName } from '../../src/service/profiles.ts';

function* count(pages: number) {
  for (let page = 0; page < pages; page += 1) yield [page, page + 0.5];
}

function respond(answer: object, profile: ProfileName = 'documented') {
  return createResponder(servedProfiles[profile])(answer, () => {});
}

const render = (answer: object, profile?: ProfileName) => respond(answer, profile).text();

test('an answer in pages is the same JSON as one in one piece', async () => {
  for (const pages of [1, 2, 5]) {
    const answer = { first: 'x', left_out: undefined, list: count(pages), last: { a: [1, null] } };
    expect(JSON.parse(await render(answer))).toEqual({
      ...answer,
      left_out: undefined,
      list: [...count(pages)].flat(),
    });
  }
  expect(await render({ one: count(1), other: count(2), none: [] })).toBe(
    '{"one":[0,0.5],"other":[0,0.5,1,1.5],"none":[]}',
  );
  expect(await render({ left_out: undefined, list: count(1) })).toBe('{"list":[0,0.5]}');
});

test('a list without anything, in pages or not, is written as the profile writes it', async () => {
  for (const answer of [{ list: count(0) }, { list: [] }]) {
    expect(await render({ ...answer })).toBe('{"list":[]}');
  }
  expect(await render({ list: count(0), more: [] }, 'production')).toBe(
    '{"list":null,"more":null}',
  );
  expect(await render({ list: [[{ deep: [] }], [{ deep: [1] }]].values() }, 'production')).toBe(
    '{"list":[{"deep":null},{"deep":[1]}]}',
  );
});

test('counts of zero are left out where the profile leaves them out, and no other figures', async () => {
  const answer = {
    provider_count: 0,
    lookback: 0,
    list: [[{ match_distance: 0, tier: 0 }]].values(),
  };
  expect(await render({ ...answer, list: [] })).toBe('{"provider_count":0,"lookback":0,"list":[]}');
  expect(await render(answer, 'production')).toBe('{"lookback":0,"list":[{"tier":0}]}');
});

test('a frozen answer is written once, and any other each time', async () => {
  const answer = () => ({ count: { toJSON: () => (written += 1) }, none: [] });
  let written = 0;
  const inProfile = createResponder(servedProfiles.production);
  const texts = async (shown: object) => [
    await inProfile(shown, () => {}).text(),
    await inProfile(shown, () => {}).text(),
  ];
  expect(await texts(Object.freeze(answer()))).toEqual([
    '{"count":1,"none":null}',
    '{"count":1,"none":null}',
  ]);
  expect(await texts(answer())).toEqual(['{"count":2,"none":null}', '{"count":3,"none":null}']);
});

test('a page is made when the last one was taken', async () => {
  let made = 0;
  const pages = count(1000);
  const counted = pages.map((page) => {
    made += 1;
    return page;
  });
  const reader = respond({ list: counted }).body?.getReader();
  await reader?.read();
  expect(made).toBeLessThan(4);
  await reader?.cancel();
  expect(pages.next().done).toBe(true);
});

test('a caller who leaves ends it, and one who stays is not told half of it as a whole', async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  // The HTTP server prints what ends an answer.
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => printed.mockRestore());
  const answer = () => createResponder(servedProfiles.documented)({ list: failAfter(3) }, onError);
  const listener = await listenOn(answer, { address: '127.0.0.1', port: 0 });
  onTestFinished(() => listener.close());
  const response = await fetch(`http://127.0.0.1:${listener.port}/`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect(errors).toEqual([new Error('broken')]);
  expect(printed.mock.calls).toEqual([[new Error('broken')]]);
});

test('what fails before the first page is there is thrown at once', () => {
  expect(() => respond({ list: failAfter(0) })).toThrow('broken');
});

function* failAfter(pages: number) {
  yield* count(pages);
  throw new Error('broken');
}
