import { splitDenied } from '../../config/deny-destinations.ts';
import { expandPresets, listHelperPorts } from '../../config/port-presets.ts';
import type { Config } from '../../config/schema.ts';
import type { DesiredDataPath } from '../../data-path/state.ts';
import type { UsageAccounting } from '../../data-path/usage-accounting.ts';
import type { HostPort } from '../../lib/host-port.ts';
import { decideLineLimit, type LineLimit } from '../../provide/line-limit.ts';
import { createSchedule, type Schedule } from '../../provide/schedule.ts';
import type { ProvideMode } from '../../service/profiles.ts';
import { isLoopback } from '../../service/url.ts';
import type { AddressList } from '../../system/address-list.ts';
import type { Overrides } from '../kept-choices.ts';

export interface DesiredSources {
  readonly config: Config;
  /** What each source wants. */
  readonly wishes: DesiredDataPath['sources'];
  readonly denied: readonly AddressList[];
  readonly badAddresses: readonly AddressList[];
  /** The mode that the owner wants now. */
  readonly mode: ProvideMode;
  readonly publicAddresses: readonly string[] | undefined;
  readonly usage: Pick<UsageAccounting, 'stopAtBytes' | 'newUntilBytes' | 'totals'>;
  /** The owner's speed limit that holds now; undefined without one. */
  readonly limit: LineLimit | undefined;
}

/** The mode and limit of the present configuration's schedule; undefined where it names none. */
export type ScheduledMode = (now: Date) => Promise<ReturnType<Schedule['at']>>;

export interface GatheredSources extends Omit<DesiredSources, 'limit' | 'mode'> {
  readonly overrides: Pick<Overrides, 'current'>;
  readonly scheduledMode: ScheduledMode;
  readonly now: Date;
}

/**
 * What the data path should be now, for a pass and for `tributary plan` alike; `limit` is the
 * owner's speed limit that holds now, undefined without one. Call it after what the kernel counted
 * is taken and the overrides are loaded: cap and limit follow from them.
 */
export async function gatherDesired({
  overrides,
  scheduledMode,
  now,
  ...sources
}: GatheredSources): Promise<{
  readonly desired: DesiredDataPath;
  readonly limit: LineLimit | undefined;
}> {
  const { provide } = sources.config;
  const scheduled = await scheduledMode(now);
  const override = overrides.current();
  const limit = decideLineLimit({
    configured: provide.rate_limit,
    schedule: scheduled?.rateLimit,
    override: { line: override?.limitBitsPerSecond },
  });
  const mode = override?.mode ?? scheduled?.mode ?? provide.mode;
  return { desired: planDataPath({ ...sources, mode, limit }), limit };
}

/** Compiles the schedule once for each configuration. */
export function createScheduledMode(config: () => Config): ScheduledMode {
  let compiled: { readonly from: Config; readonly schedule: Schedule } | undefined;
  return async (now) => {
    const current = config();
    if (compiled?.from !== current) {
      const { schedule, time_zone: timeZone } = current.provide;
      compiled = { from: current, schedule: await createSchedule(schedule, timeZone) };
    }
    return compiled.schedule.at(now);
  };
}

/** Pure: what the data path should be, given all that it depends on. */
export function planDataPath(sources: DesiredSources): DesiredDataPath {
  const { config, wishes, denied, badAddresses, mode, publicAddresses, usage, limit } = sources;
  const { connections } = config.gateway;
  return {
    sources: wishes,
    configuredUplink: config.gateway.uplink,
    gateway: {
      allowDestinations: config.gateway.allow_destinations,
      denyDestinations: splitDenied(config.gateway.deny_destinations).named,
      blockedPorts: [
        ...expandPresets(config.gateway.blocked_ports),
        ...listHelperPorts(config.gateway.router_helpers),
      ],
      openProtocols: config.gateway.other_protocols,
      pagePort: findPagePort(config.status.listen),
      connections: {
        perConsumer: connections.per_consumer,
        total: connections.total,
        newPerSecond: connections.new_per_second,
        halfOpen: connections.half_open,
      },
    },
    line: {
      limitBits: limit?.bitsPerSecond,
      isHouseholdFirst: config.provide.household === 'first',
      isLowPriority: config.gateway.low_priority,
    },
    denied,
    strict: { setting: config.gateway.strict_rules, mode },
    badAddresses,
    publicAddresses,
    stopAtBytes: usage.stopAtBytes(),
    newUntilBytes: usage.newUntilBytes(),
    totals: usage.totals(),
  };
}

/** The page's port for other machines; a page on loopback is for this device alone. */
function findPagePort({ host, port }: HostPort): number | undefined {
  return port === 0 || isLoopback(host) ? undefined : port;
}
