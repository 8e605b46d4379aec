import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

/** The page's own function, at an address, on a page that has the dialog for the token or not. */
async function take(hash: string, hasDialog = true) {
  const script = await readFile('src/status/page/live.js', 'utf8');
  const own = /^function takeToken\(\) \{[\s\S]*?^\}$/m.exec(script)?.[0] ?? '';
  const field = { value: '' };
  const addresses: string[] = [];
  runInNewContext(`${own}\ntakeToken();`, {
    location: { hash },
    history: { replaceState: (...given: string[]) => void addresses.push(given[2] ?? '') },
    find: () => (hasDialog ? field : null),
    askForToken: () => undefined,
    sayOutcome: () => undefined,
    decodeURIComponent,
  });
  return { token: field.value, addresses };
}

test.each([
  ['#token=0123456789abcdef', '0123456789abcdef'],
  ['#token=bWluZQ==', 'bWluZQ=='],
  ["#token=a-b%2Bc%2Fd%3D%23%25'", "a-b+c/d=#%'"],
])('the token of %s is taken out of the address', async (hash, token) => {
  expect(await take(hash)).toEqual({ token, addresses: ['/'] });
});

test('it leaves the address where the page does not ask for one, too', async () => {
  expect(await take('#token=a-b', false)).toEqual({ token: '', addresses: ['/'] });
});

test('another address stays', async () => {
  expect(await take('#numbers')).toEqual({ token: '', addresses: [] });
});
