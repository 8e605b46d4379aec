import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';
import { showLogOnFailure } from '../net/support/test-lab.ts';
import { hasScapy } from './packet-process.ts';
import { scenarios as all, listFailures, listScenarios, type Scenario } from './scenarios.ts';
import { type AttackSource, type AttackWorld, createAttackWorld, type Way } from './world.ts';

interface Attack {
  readonly from?: AttackSource;
  readonly scenarios?: readonly Scenario[];
}

/** The claims of one way of running; attack-setup.ts says aloud where they are left out. */
export function describeAttack(
  way: Way,
  { from = 'wireguard', scenarios = all }: Attack = {},
): void {
  describe.skipIf(!isInsideLab() || !hasScapy())(
    `an agent in the namespace of a ${way} under attack by consumers of a ${from} source`,
    () => {
      let world: AttackWorld;
      let isWhole = true;
      beforeAll(async () => {
        world = await createAttackWorld(way, { countsEachRow: false, from });
      });
      beforeEach((context) => {
        showLogOnFailure(context, () => world.agent());
        // Each goes on where the one before it ended.
        if (!isWhole) context.skip('the world is not as the one before should have left it');
        isWhole = false;
      });
      afterAll(() => world?.remove());

      it.each(listScenarios(scenarios, way))('holds $name', async ({ run }) => {
        const result = await run(world);
        isWhole = true;
        expect(listFailures(result).join('\n')).toBe('');
      });
    },
  );
}
