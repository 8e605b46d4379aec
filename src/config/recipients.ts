import { isIPv4 } from 'node:net';
import { hostPortOfUrl } from '../lib/host-port.ts';
import type { FurtherProtocol } from '../lib/protocols.ts';
import { isLoopback } from '../service/url.ts';
import { splitDenied } from './deny-destinations.ts';
import { expandPresets } from './port-presets.ts';
import type { Config } from './schema.ts';

/**
 * What the fence around the agent's namespace lets through, of the owner's own network and of the
 * Internet. The function that makes the fence is passed this and not the configuration.
 */
export interface WaysOut {
  /** Addresses and prefixes that consumers may reach, although they are private. */
  readonly allowDestinations: readonly string[];
  /**
   * Addresses and prefixes that are refused by name. Files of them are left out: they are meant for
   * consumers' packets, which the host cannot tell from the agent's own.
   */
  readonly denyDestinations: readonly string[];
  /** `25`, `6881-6889`, `udp/1900`. */
  readonly blockedPorts: readonly (number | string)[];
  /** Protocols beside TCP, UDP and ping that may leave. */
  readonly openProtocols: readonly FurtherProtocol[];
  /** Connections of all consumers together; undefined to let the machine decide. */
  readonly totalConnections: number | undefined;
  /** Whom to ask for the home's public address, besides looking at the router's own address. */
  readonly publicAddress: Config['gateway']['public_address'];
  /**
   * Hosts that the agent itself asks and reports to, by TCP. Consumers cannot reach them by this.
   */
  readonly recipients: readonly Recipient[];
}

interface Recipient {
  /** An IPv4 address. A name opens nothing, because it may mean another host tomorrow. */
  readonly address: string;
  readonly port: number;
}

export function findWaysOut({
  gateway,
  report,
  service,
}: Pick<Config, 'gateway' | 'report'> & Partial<Config>): WaysOut {
  const recipients = [service?.base_url, report.mqtt?.url, report.webhook?.url]
    .filter((url) => url !== undefined)
    .map((url) => hostPortOfUrl(String(url)))
    .filter(({ host }) => isIPv4(host) && !isLoopback(host))
    .map(({ host, port }) => ({ address: host, port }));
  return {
    allowDestinations: gateway.allow_destinations,
    denyDestinations: splitDenied(gateway.deny_destinations).named,
    blockedPorts: expandPresets(gateway.blocked_ports),
    openProtocols: gateway.other_protocols,
    totalConnections: gateway.connections.total,
    publicAddress: gateway.public_address,
    recipients,
  };
}
