import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { explainLoopback, renderPage } from '../../../../../src/cli/commands/set-up/setup-words.ts';

test.each([
  [
    'http://127.0.0.1:8080',
    /leads nowhere from the agent.*this machine's 127\.0\.0\.1 is not in it/,
  ],
  ['http://localhost', /leads nowhere/],
  ['http://[::1]:80', /leads nowhere/],
  ['https://service.example', undefined],
  ['http://192.168.1.5', undefined],
])('%s is explained where the agent cannot reach it', (address, said) => {
  if (said === undefined) expect(explainLoopback(address)).toBeUndefined();
  else expect(explainLoopback(address)).toMatch(said);
});

test('the page of this machine alone comes with the way to it from another one', () => {
  const page = 'http://127.0.0.1:9469';
  expect(renderPage(page, { environment: { SUDO_USER: 'ann', USER: 'root' } }).at(-1)).toBe(
    `          ssh -L 9469:127.0.0.1:9469 ann@${hostname()}`,
  );
  const own = renderPage('http://attic:9469', { environment: {} });
  expect(own).toEqual(['Page      http://attic:9469']);
  expect(renderPage(null, { environment: {} })).toEqual([]);
});
