import type { LoadedConfig } from '../../config/load.ts';
import { observeHost } from '../../data-path/observe.ts';
import { planChanges } from '../../data-path/plan.ts';
import { readTotals } from '../../data-path/state.ts';
import { openUsageAccounting } from '../../data-path/usage-accounting.ts';
import { createRegistrationFiles } from '../../identity/registration-files.ts';
import { chooseRenewSeconds } from '../../identity/renew.ts';
import { createTunnelSource } from '../../source/wireguard/current-tunnel.ts';
import { toServiceContext } from '../../source/wireguard/endpoint.ts';
import type { Exec } from '../../system/exec.ts';
import { openOverrides } from '../kept-choices.ts';
import { readDenied } from './denied-lists.ts';
import { gatherDesired } from './desired-data-path.ts';
import { createScheduledMode } from './scheduled-mode.ts';

/** What an agent that started now would apply here, and what this machine lacks of it. */
export interface PlanNow extends Awaited<ReturnType<typeof planChanges>> {
  readonly isRegistered: boolean;
  /** Why the issued tunnel is not used; undefined: it is, or none was issued. */
  readonly refusal: string | undefined;
}

/**
 * Plans the pass that an agent would run if it started now. Reads the state directory and the
 * machine, changes neither, and asks nothing of the service. @throws state-unreadable,
 * list-refused, command-failed, missing-program
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
  const source = createTunnelSource(
    () => registration?.tunnel,
    () => toServiceContext(config.service.base_url, config.gateway.allow_destinations),
  );
  const { tunnel, refusal } = await source.current();
  const limits = () => config.provide;
  const usage = openUsageAccounting({ ...kept, limits, now: () => new Date(), isLooking: true });
  await usage.load();
  const denied = await readDenied(config.gateway.deny_destinations);
  const observed = await observeHost(exec, {
    tunnelInterface: config.tunnel.interface,
    isDenying: true,
  });
  usage.take(readTotals(observed.table));
  const now = new Date();
  const overrides = openOverrides({ ...kept, now: () => now });
  await overrides.load();
  const { renew_seconds_default: defaultSeconds } = config.service;
  const renewSeconds =
    registration && chooseRenewSeconds(registration.renewSeconds, defaultSeconds);
  const { desired } = await gatherDesired({
    config,
    tunnel,
    renewSeconds,
    usage,
    denied,
    publicAddresses: undefined,
    overrides,
    scheduledMode: createScheduledMode(() => config),
    now,
  });
  const plan = await planChanges(exec, desired, observed);
  return { ...plan, isRegistered: registration !== undefined, refusal: refusal?.message };
}
