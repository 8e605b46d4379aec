import type { SourceDriver } from './source.ts';
import { createWireGuardDriver } from './wireguard/driver.ts';
import type { TunnelHost } from './wireguard/observe.ts';

/** What of the configuration names the sources and their devices. */
export interface SourceSettings {
  readonly tunnel: { readonly interface: string };
}

/**
 * What makes each source's device, in the order in which devices are told apart. A new source is a
 * row here, and one in `listSources`.
 */
export function createDrivers(
  host: TunnelHost,
  { tunnel }: SourceSettings,
): readonly SourceDriver[] {
  return [createWireGuardDriver(host, tunnel.interface)];
}

/** The sources that the configuration asks for, by the drivers' names, with their devices. */
export function listSources({
  tunnel,
}: SourceSettings): readonly Pick<SourceDriver, 'name' | 'device'>[] {
  return [{ name: 'wireguard', device: tunnel.interface }];
}

/** Names of the sources' devices, there or not. */
export function listDevices(settings: SourceSettings): readonly string[] {
  return listSources(settings).map(({ device }) => device);
}
