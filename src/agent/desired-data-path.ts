import { expandPresets } from '../config/port-presets.ts';
import type { Config } from '../config/schema.ts';
import type { DesiredDataPath } from '../data-path/state.ts';
import type { UsageAccounting } from '../data-path/usage-accounting.ts';
import { choosePersistentKeepaliveSeconds } from '../identity/keepalive.ts';
import type { CurrentTunnel } from '../tunnel/current-tunnel.ts';
import type { DesiredTunnel } from '../tunnel/state.ts';

export interface DesiredSources {
  readonly config: Config;
  readonly tunnel: CurrentTunnel['tunnel'];
  /** The interval in force; undefined before the service named one. */
  readonly keepaliveSeconds: number | undefined;
  readonly usage: Pick<UsageAccounting, 'stopAtBytes' | 'totals'>;
}

/** What the data path should be now, as data. */
export function planDataPath({ config, tunnel, keepaliveSeconds, usage }: DesiredSources): DesiredDataPath {
  const { connections } = config.gateway;
  return {
    tunnel: planTunnelState(config, tunnel, keepaliveSeconds),
    configuredUplink: config.gateway.uplink,
    gateway: {
      allowDestinations: config.gateway.allow_destinations,
      blockedPorts: expandPresets(config.gateway.blocked_ports),
      connections: {
        perConsumer: connections.per_consumer,
        total: connections.total,
        newPerSecond: connections.new_per_second,
        halfOpen: connections.half_open,
      },
      rateLimit: { up: config.provide.rate_limit.up, down: config.provide.rate_limit.down },
    },
    stopAtBytes: usage.stopAtBytes(),
    totals: usage.totals(),
  };
}

function planTunnelState(
  { tunnel }: Config,
  current: CurrentTunnel['tunnel'],
  keepaliveSeconds = tunnel.keepalive_seconds_default,
): DesiredTunnel {
  if (current === undefined) return { kind: 'absent', interface: tunnel.interface };
  if (current === 'unresolved') return { kind: 'untouched', interface: tunnel.interface };
  return {
    kind: 'present',
    interface: tunnel.interface,
    backend: tunnel.backend,
    spec: current.spec,
    endpoint: current.endpoint,
    persistentKeepaliveSeconds: choosePersistentKeepaliveSeconds(
      current.spec.peer.persistentKeepaliveSeconds,
      keepaliveSeconds,
    ),
  };
}
