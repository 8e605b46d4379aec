import { TributaryError, toFailure } from '../errors/codes.ts';
import { toObservedDevice } from '../source/observed-device.ts';
import type { DeviceStep, ObservedDevice, SourceDriver, SourceWish } from '../source/source.ts';
import type { Exec } from '../system/exec.ts';
import { type Interface, type Network, observeNetwork } from '../system/ip.ts';
import type { ComposedSource } from './compose.ts';

/** A source's device, after a look at it. */
export interface LookedAt {
  /** Where its driver failed, what its interface shows. */
  readonly observed: ObservedDevice;
  /** Why its driver could not observe it. */
  readonly failure: TributaryError | undefined;
}

/** A source's device that was looked at, and the steps to what is wanted; none after a failure. */
export interface PlannedSource extends ComposedSource, LookedAt {
  readonly steps: readonly DeviceStep[];
}

/** What of a network belongs to sources. */
interface Found {
  readonly interfaces: readonly Interface[];
  /** What has failed already, by device. */
  readonly failures: SourceFailures;
}

/**
 * Looks at each device, and plans its steps. Changes nothing. What fails is in the answer; only a
 * bug is thrown.
 */
export function planSources(
  sources: readonly ComposedSource[],
  { interfaces, failures }: Found,
): Promise<readonly PlannedSource[]> {
  return Promise.all(
    sources.map(async (source) => {
      const { driver, wish } = source;
      const { observed, failure } = await lookAt(driver, interfaces);
      const stopped = failures.get(driver.device) ?? failure;
      const steps = stopped === undefined ? driver.plan(wish, observed) : [];
      return { ...source, observed, failure: stopped, steps };
    }),
  );
}

/** Has a driver observe its device. What fails is in the answer; only a bug is thrown. */
export async function lookAt(
  driver: SourceDriver,
  interfaces: readonly Interface[],
): Promise<LookedAt> {
  const seen = await driver.observe(interfaces).catch(toFailure());
  if (!(seen instanceof TributaryError)) return { observed: seen, failure: undefined };
  return {
    observed: toObservedDevice(interfaces.find(({ name }) => name === driver.device)),
    failure: seen,
  };
}

/** True where a device has to be made: nothing can come through it before the fence has it too. */
export function isMaking({ steps }: Pick<PlannedSource, 'steps'>): boolean {
  return steps.some(({ stage }) => stage === 'make');
}

/** What stopped a source, by its device. No other source is stopped by it. */
export type SourceFailures = ReadonlyMap<string, TributaryError>;

/** All but bringing devices up. What fails is in the answer; only a bug is thrown. */
export function changeDevices(sources: readonly PlannedSource[]): Promise<SourceFailures> {
  const before = sources.flatMap(({ device, failure }) =>
    failure === undefined ? [] : [[device.name, failure] as const],
  );
  return applySteps(sources, new Map(before), ({ stage }) => stage !== 'raise');
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

/**
 * Takes the sources' devices away, also devices that other programs made in their place, and each
 * whether or not another stays.
 * Resolves with the first failure; only a bug is thrown.
 */
export async function removeDevices(
  drivers: readonly SourceDriver[],
  interfaces: readonly Interface[],
): Promise<TributaryError | undefined> {
  let first: TributaryError | undefined;
  for (const driver of drivers) {
    const { device } = driver;
    const removing = async () => {
      const observed = await driver.observe(interfaces);
      await driver.apply(driver.plan({ kind: 'absent', device }, observed));
    };
    const failure = await removing().then(() => undefined, toFailure());
    first ??= failure;
  }
  return first;
}

/**
 * Gives devices their names back, which another program changed: the network as it is then. What
 * fails is in the answer; only a bug is thrown.
 */
export async function takeNamesBack(
  { exec, sources }: { readonly exec: Exec; readonly sources: readonly SourceDriver[] },
  wishes: readonly SourceWish[],
  network: Network,
): Promise<{ readonly network: Network; readonly failures: SourceFailures }> {
  let current = network;
  const failures = new Map<string, TributaryError>();
  for (const driver of sources) {
    const wish = wishes.find(({ device }) => device === driver.device);
    const name = wish && driver.findRenamed(wish, current.interfaces);
    if (name === undefined) continue;
    const renamed = await giveNameBack(exec, { name, device: driver.device }).catch(toFailure());
    if (renamed instanceof TributaryError) failures.set(driver.device, renamed);
    else current = renamed;
  }
  return { network: current, failures };
}

async function giveNameBack(
  exec: Exec,
  { name, device }: { readonly name: string; readonly device: string },
): Promise<Network> {
  const doing = `giving ${name} its name ${device} back`;
  // Older kernels rename only what is down; the pass brings it up behind its fence.
  await exec({ program: 'ip', args: ['link', 'set', name, 'down'], doing });
  await exec({ program: 'ip', args: ['link', 'set', name, 'name', device], doing });
  return observeNetwork(exec);
}
