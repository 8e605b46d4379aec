import type { DeviceStep, ObservedDevice, SourceDriver, SourceWish } from '../source/source.ts';
import type { Exec } from '../system/exec.ts';
import { type Interface, type Network, observeNetwork } from '../system/ip.ts';
import type { ComposedSource } from './compose.ts';

/** A source's device that was observed, and the steps to what is wanted. */
export interface PlannedSource extends ComposedSource {
  readonly observed: ObservedDevice;
  readonly steps: readonly DeviceStep[];
}

/** Looks at each device, and plans its steps. Changes nothing. @throws missing-program */
export function planSources(
  sources: readonly ComposedSource[],
  interfaces: readonly Interface[],
): Promise<readonly PlannedSource[]> {
  return Promise.all(
    sources.map(async (source) => {
      const observed = await source.driver.observe(interfaces);
      return { ...source, observed, steps: source.driver.plan(source.wish, observed) };
    }),
  );
}

/** True where a device has to be made: nothing can come through it before the fence has it too. */
export function isMaking({ steps }: Pick<PlannedSource, 'steps'>): boolean {
  return steps.some(({ stage }) => stage === 'make');
}

/** All but bringing devices up. @throws codes of `SourceDriver.apply` */
export async function changeDevices(sources: readonly PlannedSource[]): Promise<void> {
  for (const { driver, steps } of sources)
    await driver.apply(steps.filter(({ stage }) => stage !== 'raise'));
}

/** Brings up what is to be up: behind its fence. @throws codes of `SourceDriver.apply` */
export async function raiseDevices(sources: readonly PlannedSource[]): Promise<void> {
  for (const { driver, steps } of sources)
    await driver.apply(steps.filter(({ stage }) => stage === 'raise'));
}

/** Takes a source's device away, also one of another program. @throws command-failed */
export async function removeDevice(
  driver: SourceDriver,
  interfaces: readonly Interface[],
): Promise<void> {
  const observed = await driver.observe(interfaces);
  await driver.apply(driver.plan({ kind: 'absent', device: driver.device }, observed));
}

/**
 * Gives devices their names back, which another program changed: the network as it is then.
 * @throws command-failed
 */
export async function takeNamesBack(
  { exec, sources }: { readonly exec: Exec; readonly sources: readonly SourceDriver[] },
  wishes: readonly SourceWish[],
  network: Network,
): Promise<Network> {
  let current = network;
  for (const driver of sources) {
    const wish = wishes.find(({ device }) => device === driver.device);
    const name = wish && driver.findRenamed(wish, current.interfaces);
    if (name === undefined) continue;
    const doing = `giving ${name} its name ${driver.device} back`;
    // Older kernels rename only what is down; the pass brings it up behind its fence.
    await exec({ program: 'ip', args: ['link', 'set', name, 'down'], doing });
    await exec({ program: 'ip', args: ['link', 'set', name, 'name', driver.device], doing });
    current = await observeNetwork(exec);
  }
  return current;
}
