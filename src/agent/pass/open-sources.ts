import { uptime } from 'node:os';
import type { Config } from '../../config/schema.ts';
import type { Issuance } from '../../identity/registration-files.ts';
import type { Source } from '../../source/source.ts';
import type { CurrentTunnelReader } from '../../source/wireguard/current-tunnel.ts';
import { createWireGuardDriver } from '../../source/wireguard/driver.ts';
import { toServiceContext } from '../../source/wireguard/endpoint.ts';
import type { TunnelHost } from '../../source/wireguard/observe.ts';
import {
  createWireGuardSource,
  type WireGuardSource,
} from '../../source/wireguard/wireguard-source.ts';

/** What sources are made from; each function is asked again when a pass begins. */
export interface SourceSurroundings {
  /** With its device named for good; the rest of it may change with a reload. */
  readonly config: () => Config;
  readonly host: TunnelHost;
  /** What the service issued; undefined before the device is registered. */
  readonly issued: () => Issuance | undefined;
  /** The service's interval; undefined before it named one. */
  readonly renewSeconds: () => number | undefined;
  /** True once the service answered, or failed to. */
  readonly isServiceAsked: () => boolean;
  readonly now: () => Date;
  /** Milliseconds since the machine started, sleep included: by default as the system has them. */
  readonly uptimeMs?: () => number;
  /** By default the issued text, read and resolved. */
  readonly tunnels?: CurrentTunnelReader;
}

/** The sources of consumers' traffic, in the order in which their devices are told apart. */
export interface OpenedSources {
  readonly all: readonly Source[];
  readonly wireGuard: WireGuardSource;
}

/** Opens every source that the configuration asks for: a new source is a row here. Asks nothing. */
export function openSources(given: SourceSurroundings): OpenedSources {
  const { config, host, issued, now, tunnels } = given;
  const { interface: device } = config().tunnel;
  const { base_url: baseUrl, renew_seconds_default: usualSeconds } = config().service;
  const wireGuard = createWireGuardSource({
    driver: createWireGuardDriver(host, device),
    exec: host.exec,
    issued,
    context: () => toServiceContext(baseUrl, config().gateway.allow_destinations),
    backend: () => config().tunnel.backend,
    renewSeconds: () => given.renewSeconds() ?? usualSeconds,
    mayResolve: given.isServiceAsked,
    now,
    uptimeMs: given.uptimeMs ?? (() => uptime() * 1000),
    ...(tunnels && { tunnels }),
  });
  return { all: [wireGuard], wireGuard };
}
