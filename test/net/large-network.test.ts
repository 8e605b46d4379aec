import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureListMemory } from '../../tools/bench/list-memory.ts';
import { isInsideLab } from '../../tools/lab/network.ts';

const program = join(import.meta.dirname, '../../dist/tributary.cjs');
const mostKibibytes = 150 * 1024;

// The built program is measured, which only `npm test` is sure to have; test/global-setup.ts says
// aloud that this is left out.
it.skipIf(!isInsideLab())(
  'a network of ten thousand clients is listed within 150 MiB',
  async () => {
    const { commandKilobytes, bareKilobytes } = await measureListMemory(program, 10_000);
    expect(bareKilobytes).toBeGreaterThan(0);
    expect(commandKilobytes).toBeGreaterThan(bareKilobytes);
    expect(commandKilobytes).toBeLessThan(mostKibibytes);
  },
);
