import type { LoadedConfig } from '../../config/load.ts';
import { observeHost } from '../../data-path/observe.ts';
import { type PlannedChanges, planChanges } from '../../data-path/plan.ts';
import { readTotals } from '../../data-path/state.ts';
import { openUsageAccounting } from '../../data-path/usage-accounting.ts';
import { createRegistrationFiles } from '../../identity/registration-files.ts';
import { chooseRenewSeconds } from '../../identity/renew.ts';
import type { Exec } from '../../system/exec.ts';
import { openOverrides } from '../kept-choices.ts';
import { readDenied } from './denied-lists.ts';
import { createScheduledMode, gatherDesired } from './desired-data-path.ts';
import { openSources } from './open-sources.ts';

/** What an agent that started now would apply here, and what this machine lacks of it. */
export interface PlanNow extends PlannedChanges {
  readonly isRegistered: boolean;
  /**
   * Why a source has nothing, or an older tunnel than the one issued last; undefined if it has that
   * one.
   */
  readonly refusal: string | undefined;
}

/**
 * Plans the pass that an agent would run if it started now. Reads the state directory and the
 * machine, changes neither, and asks nothing of the service.
 * @throws state-unreadable, list-refused, command-failed, missing-program
 */
export async function planNow(
  { config, stateDirectory }: LoadedConfig,
  exec: Exec,
): Promise<PlanNow> {
  const kept = { directory: stateDirectory, onSetAside: () => undefined };
  const registration = await createRegistrationFiles(
    stateDirectory,
    kept.onSetAside,
  ).registration.peek();
  const { renew_seconds_default: usualSeconds } = config.service;
  const { all: sources } = await openSources({
    config: () => config,
    authority: () => undefined,
    host: { exec, stateDirectory },
    onSetAside: kept.onSetAside,
    issued: () => registration,
    renewSeconds: () => registration && chooseRenewSeconds(registration.renewSeconds, usualSeconds),
    isServiceAsked: () => false,
    now: () => new Date(),
    onChange: () => undefined,
    onSaid: () => undefined,
  });
  const drivers = sources.map(({ driver }) => driver);
  const wanted = await Promise.all(sources.map((source) => source.wanted()));
  const limits = () => config.provide;
  const usage = openUsageAccounting({ ...kept, limits, now: () => new Date(), isLooking: true });
  await usage.load();
  const lists = await readDenied(config.gateway);
  const observed = await observeHost(exec, {
    devices: drivers.map(({ device }) => device),
    isDenying: true,
  });
  usage.take(readTotals(observed.table));
  const now = new Date();
  const overrides = openOverrides({ ...kept, now: () => now });
  await overrides.load();
  const { desired } = await gatherDesired({
    config,
    wishes: wanted.map(({ wish }) => wish),
    usage,
    ...lists,
    publicAddresses: undefined,
    overrides,
    scheduledMode: createScheduledMode(() => config),
    now,
  });
  const plan = await planChanges({ exec, sources: drivers }, desired, observed);
  const problems = wanted.flatMap(({ problem }) => problem?.message ?? []);
  return { ...plan, isRegistered: registration !== undefined, refusal: problems[0] };
}
