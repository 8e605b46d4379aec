import type { AttackWorld } from './world.ts';

/** Of a tunnel that no rule of ours names. */
const otherName = 'stranger0';

/** Does it while the device by which consumers come has another name. */
export async function whileRenamed<T>(world: AttackWorld, act: () => Promise<T>): Promise<T> {
  await world.inside('ip', 'link', 'set', world.attackedDevice, 'name', otherName);
  try {
    return await act();
  } finally {
    await world.inside('ip', 'link', 'set', otherName, 'name', world.attackedDevice);
  }
}
