import { expect, test } from 'vitest';
import { decideMode, type ModeSources } from '../../../src/provide/decide-mode.ts';

const plain: ModeSources = { configured: 'public', scheduled: undefined, override: undefined };

test.each<readonly [string, Partial<ModeSources>, ReturnType<typeof decideMode>]>([
  ['the configured one', {}, { mode: 'public', source: 'configuration' }],
  ['the scheduled one before it', { scheduled: 'friends' }, { mode: 'friends', source: 'schedule' }],
  ['the one set by hand before both', { scheduled: 'friends', override: 'none' }, { mode: 'none', source: 'override' }],
])('the mode is %s', (_claim, change, expected) => {
  expect(decideMode({ ...plain, ...change })).toEqual(expected);
});
