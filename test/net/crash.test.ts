import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';
import { type CrashWorld, createCrashWorld, type Moment } from '../crash/crash-world.ts';

const parts = [0, 1, 2, 3];

// The short form of `npm run crash`. Namespaces are needed; test/global-setup.ts says aloud that
// this is left out.
describe.skipIf(!isInsideLab())('an agent that is killed at one of its effects', () => {
  let world: CrashWorld;
  let moments: readonly Moment[];
  beforeAll(async () => {
    world = await createCrashWorld('crasht');
    const effects = await world.listEffects();
    for (const kind of ['file', 'program', 'request'])
      expect(effects.map((effect) => effect.kind)).toContain(kind);
    const telling = effects.filter(({ kind, what }) => kind === 'request' || /^rename/.test(what));
    const others = effects.filter((_, index) => index % 61 === 7);
    moments = [...telling.slice(0, 12), ...others].map((effect, index) => ({
      when: index % 2 === 0 ? 'after' : 'before',
      effect,
    }));
  });
  afterAll(() => world?.remove());

  // Each moment takes two lives of the agent, so a loaded machine needs minutes for all of them.
  it.each(parts)(
    'provides again, as the same client, and leaves the device as it was (part %i)',
    async (part) => {
      const own = moments.filter((_, index) => index % parts.length === part);
      expect(own.length).toBeGreaterThan(2);
      for (const moment of own) expect(await world.crash(moment)).toMatchObject({ faults: [] });
    },
  );
});
