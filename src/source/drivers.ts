import { createEngineDriver } from './connect/device.ts';
import { planPool } from './connect/pool.ts';
import type { SourceDriver } from './source.ts';
import { createWireGuardDriver } from './wireguard/driver.ts';
import type { TunnelHost } from './wireguard/observe.ts';

/** What of the configuration names the sources and their devices. */
export interface SourceSettings {
  readonly source: 'wireguard' | 'connect' | 'both';
  readonly tunnel: { readonly interface: string };
  readonly connect: {
    readonly interface: string;
    readonly pool_ipv4: string;
    readonly pool_ipv6: string;
  };
}

/** The sources that there are. A new one is a row here, and in each of the lists below. */
export type SourceName = 'wireguard' | 'connect';

/** True where the owner wants this source. */
export function isWanted(name: SourceName, { source }: Pick<SourceSettings, 'source'>): boolean {
  return source === 'both' || source === name;
}

/**
 * What makes each source's device, in the order in which devices are told apart: of all sources,
 * and not only of the wanted ones: a clean-up removes what is left of any.
 */
export function createDrivers(
  host: TunnelHost,
  { tunnel, connect }: Pick<SourceSettings, 'tunnel' | 'connect'>,
): readonly SourceDriver[] {
  const { consumers } = planPool(connect.pool_ipv4, connect.pool_ipv6);
  return [
    createWireGuardDriver(host, tunnel.interface),
    createEngineDriver(host.exec, { device: connect.interface, consumers }),
  ];
}

/** The sources that the configuration asks for, by the drivers' names, with their devices. */
export function listSources(
  settings: SourceSettings,
): readonly Pick<SourceDriver, 'name' | 'device'>[] {
  const all = [
    { name: 'wireguard', device: settings.tunnel.interface },
    { name: 'connect', device: settings.connect.interface },
  ] as const;
  return all.filter(({ name }) => isWanted(name, settings));
}

/** Names of the wanted sources' devices, there or not. */
export function listDevices(settings: SourceSettings): readonly string[] {
  return listSources(settings).map(({ device }) => device);
}
