import { isIPv4 } from 'node:net';
import { isLoopback } from '../service/url.ts';
import { splitDenied } from './deny-destinations.ts';
import { expandPresets } from './port-presets.ts';
import type { Config } from './schema.ts';

/**
 * What the fence around the agent's namespace lets through, of the owner's own network and of the
 * Internet.
 */
export type WaysOut = Readonly<ReturnType<typeof findWaysOut>>;

const usualPorts: Readonly<Record<string, number>> = {
  'mqtt:': 1883,
  'mqtts:': 8883,
  'http:': 80,
  'https:': 443,
};

/**
 * Recipients given by address pass the fence; a name opens nothing, because it may mean another
 * host tomorrow.
 */
export function findWaysOut({
  gateway,
  report,
  service,
}: Pick<Config, 'gateway' | 'report'> & Partial<Config>) {
  const recipients = [service?.base_url, report.mqtt?.url, report.webhook?.url].flatMap((url) => {
    const parsed = URL.parse(String(url ?? ''));
    if (parsed === null || !isIPv4(parsed.hostname) || isLoopback(parsed.hostname)) return [];
    const port = parsed.port === '' ? usualPorts[parsed.protocol] : Number(parsed.port);
    return port === undefined ? [] : [{ address: parsed.hostname, port }];
  });
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
