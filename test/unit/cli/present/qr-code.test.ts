import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderQrCode } from '../../../../src/cli/present/qr-code.ts';

const code = 'K7WQ2M4XZP';

test.each<[string, number | undefined, boolean | undefined, RegExp]>([
  ['at a terminal with room', 80, undefined, /█/],
  ['not at a narrow terminal', 20, undefined, /^$/],
  ['not into a pipe', undefined, undefined, /^$/],
  ['into a pipe where it is asked for', undefined, true, /█/],
  ['not where it is not wanted', 80, false, /^$/],
  [
    'with a word where it is asked for and has no room',
    20,
    true,
    /^\nThe QR code needs \d\d columns/,
  ],
])('a QR code is shown %s', async (_, columns, isWanted, expected) => {
  expect(await renderQrCode({ text: code, columns, isWanted })).toMatch(expected);
});

test('a QR code says how many columns it needs, and takes no more', async () => {
  const width = Number(
    /\d+/.exec(await renderQrCode({ text: code, columns: 5, isWanted: true }))?.[0],
  );
  const lines = (await renderQrCode({ text: code, columns: width, isWanted: undefined }))
    .trimEnd()
    .split('\n');
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBe(width);
  expect(await renderQrCode({ text: code, columns: width - 1, isWanted: undefined })).toBe('');
});

test('a text that no QR code can hold is said to be one', async () => {
  const text = 'x'.repeat(100_000);
  expect(await renderQrCode({ text, columns: undefined, isWanted: true })).toMatch(/too long/);
  expect(await renderQrCode({ text, columns: 80, isWanted: undefined })).toBe('');
});
