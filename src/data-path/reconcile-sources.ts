import { TributaryError, toFailure } from '../errors/codes.ts';
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

/** What stopped the steps of a source, by its device. No other source is stopped by it. */
export type SourceFailures = ReadonlyMap<string, TributaryError>;

/** All but bringing devices up. What fails is in the answer; only a bug is thrown. */
export function changeDevices(sources: readonly PlannedSource[]): Promise<SourceFailures> {
  return applySteps(sources, new Map(), ({ stage }) => stage !== 'raise');
}

/**
 * Brings up what is to be up, behind its fence, but nothing of what has failed before. What fails
 * now is added to the answer; only a bug is thrown.
 */
export function raiseDevices(
  sources: readonly PlannedSource[],
  before: SourceFailures,
): Promise<SourceFailures> {
  return applySteps(sources, before, ({ stage }) => stage === 'raise');
}

async function applySteps(
  sources: readonly PlannedSource[],
  before: SourceFailures,
  isDue: (step: DeviceStep) => boolean,
): Promise<SourceFailures> {
  const failures = new Map(before);
  for (const { driver, steps } of sources) {
    const due = failures.has(driver.device) ? [] : steps.filter(isDue);
    const failure = due.length === 0 ? undefined : await driver.apply(due).catch(toFailure());
    if (failure instanceof TributaryError) failures.set(driver.device, failure);
  }
  return failures;
}

/** The devices that have failed and do not exist. @throws command-failed */
export async function findAbsent(exec: Exec, failures: SourceFailures): Promise<readonly string[]> {
  if (failures.size === 0) return [];
  const { interfaces } = await observeNetwork(exec);
  return [...failures.keys()].filter((device) => interfaces.every(({ name }) => name !== device));
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
