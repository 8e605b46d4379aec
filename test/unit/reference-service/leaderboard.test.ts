import { describe, expect, test } from 'vitest';
import { maskName } from '../../../src/reference-service/answer-leaderboard.ts';
import { createProfanityCheck } from '../../../src/reference-service/profanity.ts';

describe('a masked name', () => {
  test.each(['a', 'ab', 'a rather long name', 'a'.repeat(63)])(
    'of %s tells its first letter and nothing else',
    (name) => {
      expect(maskName(name)).toBe('a•••••••');
    },
  );
  test('is not cut within a character', () => {
    expect(maskName('👋 hello')).toBe('👋•••••••');
  });
});

test.each([
  ['home', false],
  ['Scunthorpe', false],
  ['fuck', true],
  ['a FuCk network', true],
])('%s is profane: %s', async (name, isProfane) => {
  expect((await createProfanityCheck()())(name)).toBe(isProfane);
});
