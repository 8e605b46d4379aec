import { isIPv4 } from 'node:net';
import { hostPortOfUrl } from '../lib/host-port.ts';
import { isLoopback } from '../service/url.ts';
import { splitDenied } from './deny-destinations.ts';
import { expandPresets } from './port-presets.ts';
import type { Config } from './schema.ts';

/**
 * What the fence around the agent's namespace lets through, of the owner's own network and of the
 * Internet.
 */
export type WaysOut = Readonly<ReturnType<typeof findWaysOut>>;

/**
 * Recipients given by address pass the fence; a name opens nothing, because it may mean another
 * host tomorrow.
 */
export function findWaysOut({
  gateway,
  report,
  service,
}: Pick<Config, 'gateway' | 'report'> & Partial<Config>) {
  const recipients = [service?.base_url, report.mqtt?.url, report.webhook?.url]
    .filter((url) => url !== undefined)
    .map((url) => hostPortOfUrl(String(url)))
    .filter(({ host }) => isIPv4(host) && !isLoopback(host))
    .map(({ host, port }) => ({ address: host, port }));
  return {
    allowDestinations: gateway.allow_destinations,
    /**
     * What is refused by name; files are for consumers' packets alone, which the host cannot tell
     * from the agent's own.
     */
    denyDestinations: splitDenied(gateway.deny_destinations).named,
    blockedPorts: expandPresets(gateway.blocked_ports),
    /** Connections of all consumers; undefined: the machine decides. */
    totalConnections: gateway.connections.total,
    /** Who is asked for the home's public address, beside the router's own address. */
    publicAddress: gateway.public_address,
    /**
     * Whom the agent itself asks and reports to, by TCP, each by its IPv4 address; no way out for
     * consumers.
     */
    recipients,
  };
}
