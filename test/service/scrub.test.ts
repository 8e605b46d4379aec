import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { scrub } from '../../src/service/scrub.ts';

const key = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ=';

describe('scrub', () => {
  it.each([
    ['a token', 'jwt eyJhbGciOiJI.eyJzdWIiOiIx.c2ln!', 'jwt [secret]!'],
    ['half a token', 'jwt eyJhbGciOiJI', 'jwt [secret]'],
    ['a WireGuard key', `PrivateKey = ${key} gone`, 'PrivateKey = [secret] gone'],
    ['what was sent', 'code hunter2 is bad', 'code [secret] is bad'],
    [
      'what was sent, with control characters in it',
      'code hun\u0007ter2 is bad',
      'code [secret] is bad',
    ],
    ['direction marks', 'a\u202eb\u200bc', 'abc'],
    ['lines', ' a\r\n\tb ', 'a b'],
  ])('hides %s', (_, text, shown) => {
    expect(scrub(text, [new Secret('hunter2'), new Secret('')])).toBe(shown);
  });

  it('never cuts a secret in two, wherever it stands', () => {
    for (let length = 4000; length < 4100; length += 1) {
      // Longer than is read, and so full of secrets that what is left of it is short enough to be
      // shown.
      const text = `${' '.repeat(length - 60)}${key} ${key}`;
      expect(scrub(text, [])).not.toMatch(/[a-z]{8}/);
    }
    expect(scrub(`${'x'.repeat(180)} ${key}`, [])).not.toContain('abcd');
  });

  it('takes megabytes without delay', () => {
    expect(scrub('x'.repeat(4_000_000), []).length).toBeLessThanOrEqual(200);
    expect(scrub(`${'ab '.repeat(1_000_000)}`, []).length).toBe(200);
  });
});
