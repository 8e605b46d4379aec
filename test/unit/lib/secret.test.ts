import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { messageOf, TributaryError } from '../../../src/errors/codes.ts';
import { Secret } from '../../../src/lib/secret.ts';

const text = 'the-hidden-words';
const secret = new Secret(text);

test.each<[string, () => string]>([
  ['in JSON', () => JSON.stringify({ secret, list: [secret] })],
  ['in a template', () => `${secret}`],
  ['as a String', () => String(secret)],
  ['added to a text', () => `it is ${secret.toString()}`],
  ['inspected', () => inspect(secret)],
  [
    'inspected deep inside, with everything hidden shown',
    () => inspect({ a: { b: [secret] } }, { depth: 9, showHidden: true }),
  ],
  [
    'inspected without its own say',
    () => inspect(secret, { customInspect: false, showHidden: true }),
  ],
  ['copied', () => JSON.stringify({ ...secret })],
  [
    'listed',
    () =>
      JSON.stringify([
        Object.keys(secret),
        Object.entries(secret),
        Reflect.ownKeys(secret).map(String),
      ]),
  ],
  ['cloned', () => JSON.stringify(structuredClone(secret))],
  ["in an error's message", () => messageOf(new TributaryError('usage-invalid', `bad ${secret}`))],
])('a secret does not show %s', (_, show) => {
  expect(show()).not.toContain(text);
});

test('a secret gives its text to who asks for it, and equals the same text only', () => {
  expect(secret.reveal()).toBe(text);
  expect([
    secret.equals(new Secret(text)),
    secret.equals(new Secret('other')),
    secret.equals(undefined),
  ]).toEqual([true, false, false]);
});

test.each(['  a code\n', '\ta code', 'a code'])(
  'a secret can be had without the blanks around it: %j',
  (given) => {
    expect(new Secret(given).trim().reveal()).toBe('a code');
  },
);
