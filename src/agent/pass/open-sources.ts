import { uptime } from 'node:os';
import type { Config } from '../../config/schema.ts';
import type { Registration } from '../../identity/registration-files.ts';
import type { Names } from '../../lib/connect-in-turn.ts';
import { isWanted } from '../../source/drivers.ts';
import type { Source } from '../../source/source.ts';
import type { CurrentTunnelReader } from '../../source/wireguard/current-tunnel.ts';
import { createWireGuardDriver } from '../../source/wireguard/driver.ts';
import { toServiceContext } from '../../source/wireguard/endpoint.ts';
import type { TunnelHost } from '../../source/wireguard/observe.ts';
import {
  createWireGuardSource,
  type WireGuardSource,
} from '../../source/wireguard/wireguard-source.ts';
import type { OnSetAside } from '../../system/state-file.ts';

/** What of a registration the sources use. */
type ForSources = Pick<Registration, 'tunnel' | 'unissued' | 'clientId' | 'clientJwt'>;

/** What sources are made from; each function is asked again when a pass begins. */
export interface SourceSurroundings {
  /** With its sources and devices named for good; the rest of it may change with a reload. */
  readonly config: () => Config;
  /** The certificates that alone vouch for the service, as PEM; undefined where Node's own do. */
  readonly authority: () => string | undefined;
  readonly host: TunnelHost;
  readonly onSetAside: OnSetAside;
  /** What the service issued; undefined before the device is registered. */
  readonly issued: () => ForSources | undefined;
  /** The uplink and its router as the last pass found them; undefined without an uplink. */
  readonly way?: () => string | undefined;
  /** The service's interval; undefined before it named one. */
  readonly renewSeconds: () => number | undefined;
  /** True once the service answered, or failed to. */
  readonly isServiceAsked: () => boolean;
  readonly now: () => Date;
  /** How names are resolved: by default by the system alone. */
  readonly names?: Names | undefined;
  /** Called between passes, whenever a source may be alive that was not, or the other way round. */
  readonly onChange: () => void;
  /** A line for the log, of a program that runs for the source of this name. */
  readonly onSaid: (source: string, line: string) => void;
  /** Milliseconds since the machine started, sleep included: by default as the system has them. */
  readonly uptimeMs?: () => number;
  /** By default the issued text, read and resolved. */
  readonly tunnels?: CurrentTunnelReader;
}

/** The sources of consumers' traffic, in the order in which their devices are told apart. */
export interface OpenedSources {
  readonly all: readonly Source[];
  /** undefined where it is not wanted. */
  readonly wireGuard: WireGuardSource | undefined;
}

/**
 * Opens every source that the configuration asks for: a new source is a row here. Asks nothing, and
 * loads only what is wanted: which sources there are changes with a restart alone.
 */
export async function openSources(given: SourceSurroundings): Promise<OpenedSources> {
  const wireGuard = isWanted('wireguard', given.config()) ? openWireGuard(given) : undefined;
  const connect = isWanted('connect', given.config())
    ? (await import('./open-connect.ts')).openConnect({ uptimeMs: systemUptimeMs, ...given })
    : undefined;
  return { all: [wireGuard, connect].filter((own) => own !== undefined), wireGuard };
}

function systemUptimeMs(): number {
  return uptime() * 1000;
}

function openWireGuard(given: SourceSurroundings): WireGuardSource {
  const { config, host, issued, now, tunnels } = given;
  const { interface: device } = config().tunnel;
  const { base_url: baseUrl, renew_seconds_default: usualSeconds } = config().service;
  return createWireGuardSource({
    driver: createWireGuardDriver(host, device),
    exec: host.exec,
    issued,
    context: () => toServiceContext(baseUrl, config().gateway.allow_destinations),
    backend: () => config().tunnel.backend,
    renewSeconds: () => given.renewSeconds() ?? usualSeconds,
    mayResolve: given.isServiceAsked,
    onChange: given.onChange,
    now,
    names: given.names,
    uptimeMs: given.uptimeMs ?? systemUptimeMs,
    ...(tunnels && { tunnels }),
  });
}
