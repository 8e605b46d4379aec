import { isIPv4 } from 'node:net';
import { hostPortOfUrl } from '../lib/host-port.ts';
import type { FurtherProtocol } from '../lib/protocols.ts';
import { isLoopback } from '../service/url.ts';
import { splitDenied } from './deny-destinations.ts';
import { expandPresets, listHelperPorts } from './port-presets.ts';
import type { Config } from './schema.ts';

/**
 * What the fence around the agent's namespace lets through, of the owner's own network and of the
 * Internet. The function that makes the fence is passed this and not the configuration.
 */
export interface WaysOut {
  /** The host's interface that the owner names as the uplink; undefined to ask the kernel. */
  readonly configuredUplink: string | undefined;
  /** Addresses and prefixes that consumers may reach, although they are private. */
  readonly allowDestinations: readonly string[];
  /**
   * Addresses and prefixes that are refused by name. Files of them are left out: they are meant for
   * consumers' packets, which the host cannot tell from the agent's own.
   */
  readonly denyDestinations: readonly string[];
  /** `25`, `6881-6889`, `udp/1900`. */
  readonly blockedPorts: readonly (number | string)[];
  /** For consumers alone, because the agent's own tunnel may lead to one of these. */
  readonly helperPorts: readonly (number | string)[];
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

export function findWaysOut(config: Pick<Config, 'gateway' | 'report'> & Partial<Config>): WaysOut {
  const { gateway } = config;
  const recipients = listRecipients(config)
    .filter(({ host }) => isIPv4(host) && !isLoopback(host))
    .map(({ host, port }) => ({ address: host, port }));
  return {
    configuredUplink: gateway.uplink,
    allowDestinations: gateway.allow_destinations,
    denyDestinations: splitDenied(gateway.deny_destinations).named,
    blockedPorts: expandPresets(gateway.blocked_ports),
    helperPorts: listHelperPorts(gateway.router_helpers),
    openProtocols: gateway.other_protocols,
    totalConnections: gateway.connections.total,
    publicAddress: gateway.public_address,
    recipients,
  };
}

/**
 * Warnings for a host, on which the agent lives in a network namespace of its own: loopback is that
 * namespace's there, and nothing listens in it.
 */
export function findLoopbackWarnings(config: Pick<Config, 'report' | 'service'>): string[] {
  return listRecipients(config)
    .filter(({ host }) => isLoopback(host))
    .map(
      ({ key, host }) =>
        `${key}: ${host} leads nowhere from the agent's own network; write this host's address in your network: ip -br address`,
    );
}

/** Whom the agent asks and tells, each with the key that names it. */
export function listRecipients({ report, service }: Pick<Config, 'report'> & Partial<Config>) {
  const urls = {
    'service.base_url': service?.base_url,
    'report.mqtt.url': report.mqtt?.url,
    'report.webhook.url': report.webhook?.url,
  };
  return Object.entries(urls).flatMap(([key, url]) =>
    url === undefined ? [] : [{ key, ...hostPortOfUrl(String(url)) }],
  );
}
