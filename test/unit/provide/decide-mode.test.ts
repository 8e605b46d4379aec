import { expect, test } from 'vitest';
import { decideMode, type ModeSources } from '../../../src/provide/may-forward.ts';

const plain: ModeSources = { configured: 'public', scheduled: undefined, override: undefined };

test.each<readonly [string, Partial<ModeSources>, ReturnType<typeof decideMode>]>([
  ['the configured one', {}, 'public'],
  ['the scheduled one before it', { scheduled: 'friends' }, 'friends'],
  ['the one set by hand before both', { scheduled: 'friends', override: 'none' }, 'none'],
])('the mode is %s', (_claim, change, expected) => {
  expect(decideMode({ ...plain, ...change })).toBe(expected);
});
