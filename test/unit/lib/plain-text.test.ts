import { styleText } from 'node:util';
import { describe, expect, test } from 'vitest';
import { toPlainLines, toPlainValue } from '../../../src/lib/plain-text.ts';

describe('what a command writes', () => {
  test('keeps its lines, the lines of CSV, its columns and its colours', () => {
    const green = styleText('green', 'ok', { validateStream: false });
    const text = `a\tb\n${green}\nc,d\r\n😀️ é\n`;
    expect(toPlainLines(text)).toBe(text);
  });

  test.each([
    ['an order to the terminal', '\u001b[2J', '?[2J'],
    ['the place of the cursor', '\u001b[H', '?[H'],
    ['hidden letters', '\u001b[8m', '?[8m'],
    ['a window title', '\u001b]0;x\u0007', '?]0;x?'],
    ['an order of one letter', '\u009b2J', '?2J'],
    ['a return to the start of the line', 'good\rbad', 'good?bad'],
    ['letters that run backwards', '\u202eabc', '?abc'],
    ['a line break of another kind', 'a\u2028b', 'a?b'],
    ['half of a letter', 'a\ud800b', 'a?b'],
  ])('holds no %s', (_, text, shown) => {
    expect(toPlainLines(text)).toBe(shown);
  });
});

describe('a value that is shown', () => {
  test('has no text, and no name, that breaks a line', () => {
    const at = new Date(0);
    const value = { 'a\nb': ['c\nd', { e: 'f\u001b' }, 1, null, undefined, true], at };
    expect(toPlainValue(value)).toEqual({
      'a b': ['c d', { e: 'f?' }, 1, null, undefined, true],
      at,
    });
    expect(toPlainValue(value).at).toBe(at);
  });
});
