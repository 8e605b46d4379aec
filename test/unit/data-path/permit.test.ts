import { describe, expect, test } from 'vitest';
import { grantPermit, holdsPermit, revokePermit } from '../../../src/data-path/permit.ts';
import type { Exec } from '../../../src/system/exec.ts';
import type { NftTable } from '../../../src/system/nft.ts';
import { createNftTable } from './nft-table.ts';

const closed = createNftTable({ sets: new Map([['permit', []]]) });
const open = createNftTable({ sets: new Map([['permit', ['tributary0']]]) });

/** What nft is told, and why. */
async function watchNft(act: (exec: Exec) => Promise<void>) {
  const told: (readonly (string | undefined)[])[] = [];
  await act(async ({ program, args, input, doing }) => {
    told.push([[program, ...args].join(' '), input, doing]);
    return '';
  });
  return told;
}

describe('a permit', () => {
  test.each<readonly [string, NftTable | undefined, boolean]>([
    ['without a table', undefined, false],
    ['without a set for it', createNftTable(), false],
    ['in an empty set', closed, false],
    ['in its set', open, true],
  ])('%s is held: %s', (_claim, table, isHeld) => {
    expect(holdsPermit(table)).toBe(isHeld);
  });

  test('ends at once where it is revoked', async () => {
    const flush = ['nft -f -', 'flush set inet tributary permit\n', 'ending the permit to forward'];
    expect(await watchNft(revokePermit)).toEqual([flush]);
  });

  test('is granted for the given seconds', async () => {
    const [told] = await watchNft((exec) => grantPermit(exec, ['tributary0'], 60));
    expect(told?.[1]).toContain('elements = { "tributary0" timeout 60s }');
    expect(told?.[2]).toBe('renewing the permit to forward');
  });
});
