import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInsideLab } from '../../tools/lab/network.ts';
import { type CrashWorld, createCrashWorld, type Moment } from '../crash/crash-world.ts';

// The short form of `npm run crash`. Namespaces are needed; test/global-setup.ts says aloud that
// this is left out.
describe.skipIf(!isInsideLab())('an agent that is killed at one of its effects', () => {
  let world: CrashWorld;
  beforeAll(async () => {
    world = await createCrashWorld('crasht');
  });
  afterAll(() => world?.remove());

  it('provides again, as the same client, and leaves the device as it was', async () => {
    const effects = await world.listEffects();
    for (const kind of ['file', 'program', 'request'])
      expect(effects.map((effect) => effect.kind)).toContain(kind);
    const telling = effects.filter(({ kind, what }) => kind === 'request' || /^rename/.test(what));
    const others = effects.filter((_, index) => index % 31 === 7);
    const moments: Moment[] = [...telling.slice(0, 12), ...others].map((effect, index) => ({
      when: index % 2 === 0 ? 'after' : 'before',
      effect,
    }));
    for (const moment of moments) expect(await world.crash(moment)).toMatchObject({ faults: [] });
  });
});
