import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanUp } from '../../../src/data-path/clean-up.ts';
import { acquireLock } from '../../../src/system/lock.ts';
import { createDesired, createWorld } from './data-path-world.ts';

const limits = {
  time_zone: 'UTC',
  cap: { bytes: 10 ** 9, period: 'month', reset_day: 1 },
} as const;
const onSetAside = () => undefined;

describe('a clean-up', () => {
  test.each([true, false])(
    'in a namespace without hardware removes the data path (called its own namespace: %s)',
    async (isOwnNamespace) => {
      const { machine, host, pass } = createWorld();
      const untouched = machine.print();
      await pass(createDesired());
      machine.count('forwarded_down', 2, 3_000);
      await cleanUp({ ...host, limits, isOwnNamespace, onSetAside });
      expect(machine.print()).toBe(untouched);
      const { data } = JSON.parse(await readFile(join(host.stateDirectory, 'usage.json'), 'utf8'));
      expect(data).toMatchObject({ totalDownBytes: 3_000, baseBytes: 0 });
    },
  );

  test('beside an agent that runs is refused', async () => {
    const { machine, host, pass } = createWorld();
    await pass(createDesired());
    const before = machine.print();
    await using _lock = await acquireLock(join(host.stateDirectory, 'agent.lock'));
    const options = { ...host, limits, isOwnNamespace: true, onSetAside };
    await expect(cleanUp(options)).rejects.toMatchObject({ code: 'already-running' });
    expect(machine.print()).toBe(before);
  });
});
