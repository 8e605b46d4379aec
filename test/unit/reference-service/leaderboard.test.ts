import { describe, expect, test } from 'vitest';
import { isProfane, maskName } from '../../../src/reference-service/answer-network.ts';

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
  ['Turds', true],
  ['', false],
])('%s is profane: %s', (name, expected) => {
  expect(isProfane(name)).toBe(expected);
});
