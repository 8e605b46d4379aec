import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createListReader, itemLimitBytes } from '../../src/service/list-reader.ts';

/** What comes of a text that arrives in pieces of these sizes, over and over. */
function readIn(text: string, sizes: readonly number[]) {
  const reader = createListReader('clients');
  const bytes = Buffer.from(text);
  const items: unknown[] = [];
  const fields: Record<string, unknown> = {};
  let isJson = true;
  for (let at = 0, turn = 0; at < bytes.length && isJson; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    const piece = reader.read(bytes.subarray(at, at + size));
    for (const { isItem, key, value } of piece.found) {
      if (isItem) items.push(value);
      else Object.defineProperty(fields, key, { value, enumerable: true, configurable: true });
    }
    isJson = piece.fault === undefined;
    at += size;
  }
  return { items, fields, isJson, isEnded: reader.isEnded() };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const json = fc.jsonValue({ maxDepth: 4 });

describe('a list that comes in pieces', () => {
  it('has the items of the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(json),
        fc.dictionary(fc.string(), json),
        sizes,
        (clients, beside, pieces) => {
          const { clients: _, ...fields } = beside;
          const text = JSON.stringify({ ...fields, clients });
          // Parsed back: JSON has no negative zero.
          const whole = JSON.parse(text);
          expect(readIn(text, pieces)).toEqual({
            items: whole.clients,
            fields: { ...whole, clients: [] },
            isJson: true,
            isEnded: true,
          });
        },
      ),
    );
  });

  it('is not whole before its last piece', () => {
    const text = JSON.stringify({ clients: [{ client_id: 'é' }, 1, 'a"b'], error: null });
    for (let end = 1; end < Buffer.from(text).length; end += 1) {
      const cut = Buffer.from(text).subarray(0, end);
      const reader = createListReader('clients');
      expect(reader.read(cut).fault).toBeUndefined();
      expect(reader.isEnded()).toBe(false);
    }
  });

  it.each([
    [
      'a list inside of an item',
      '{"clients": [[1, 2], {"clients": [3]}]}',
      [[1, 2], { clients: [3] }],
    ],
    ['a list of that name further down', '{"other": {"clients": [1]}, "clients": [2]}', [2]],
    ['a mark of the byte order', '\u{feff}{"clients": [1]}', [1]],
    ['white space after the end', '{"clients": [1]} \n\n', [1]],
    ['an object in the place of the list', '{"clients": {"a": 1}}', []],
    ['nothing', '{"clients": null}', []],
  ])('%s is read as what it is', (_, text, items) => {
    expect(readIn(text, [3])).toMatchObject({ items, isJson: true, isEnded: true });
  });

  it.each([
    ['a long text', JSON.stringify({ id: 'x'.repeat(itemLimitBytes) })],
    ['a text alone', JSON.stringify('x'.repeat(itemLimitBytes))],
    ['more structure than fits', `{"a": [${Array(20_001).fill('1').join()}]}`],
    ['more depth than fits', `${'['.repeat(40)}${']'.repeat(40)}`],
  ])('skips an item that is too large (%s), wherever it is cut', (_, large) => {
    const text = `{"clients": [{"client_id": "a"}, ${large}, {"client_id": "b"}], "x": ${large}, "error": null}`;
    for (const size of [1000, 16 * 1024, text.length]) {
      const reader = createListReader('clients');
      const found = [];
      for (let at = 0; at < text.length; at += size)
        found.push(...reader.read(Buffer.from(text.slice(at, at + size))).found);
      expect(reader.isEnded()).toBe(true);
      expect(found.map(({ key, value, isTooLarge }) => [key, isTooLarge ?? value])).toEqual([
        ['clients', { client_id: 'a' }],
        ['clients', true],
        ['clients', { client_id: 'b' }],
        ['clients', []],
        ['x', true],
        ['error', null],
      ]);
    }
  });

  it('takes no key or number that is too large', () => {
    const reader = createListReader('clients');
    const long = 'x'.repeat(itemLimitBytes);
    expect(reader.read(Buffer.from(`{"${long}": 1}`)).fault).toBe('too-large');
    const other = createListReader('clients');
    expect(other.read(Buffer.from(`{"a": ${'1'.repeat(itemLimitBytes + 1)}`)).fault).toBe(
      'too-large',
    );
  });

  it.each([
    ['a comma too many', '{"clients": [1,]}', [1]],
    ['a second text behind the first', '{"clients": [1]} {}', [1]],
    ['a word', '{"clients": [1, nothing]}', [1]],
  ])('%s ends it, after what was good', (_, text, items) => {
    expect(readIn(text, [1000])).toMatchObject({ items, isJson: false });
  });
});
