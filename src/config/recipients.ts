import { isIPv4 } from 'node:net';
import { isLoopback } from '../service/url.ts';
import type { Config } from './schema.ts';

/** A host that is told what this device does: its IPv4 address and TCP port. */
interface Recipient {
  readonly address: string;
  readonly port: number;
}

/** What of the owner's own network the fence around the agent's namespace lets through. */
export interface WaysOut {
  readonly allowDestinations: readonly string[];
  readonly recipients: readonly Recipient[];
}

export function toWaysOut({ gateway, report }: Config): WaysOut {
  return { allowDestinations: gateway.allow_destinations, recipients: toRecipients(report) };
}

const usualPorts: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883, 'http:': 80, 'https:': 443 };

/**
 * The broker and the receiver of the webhook that are given by their address: those in the owner's own network have to
 * be let through the fence. A name may mean another host tomorrow, so it opens nothing.
 */
function toRecipients({ mqtt, webhook }: Config['report']): readonly Recipient[] {
  return [mqtt?.url, webhook?.url].flatMap((url) => {
    const parsed = URL.parse(url ?? '');
    if (parsed === null || !isIPv4(parsed.hostname) || isLoopback(parsed.hostname)) return [];
    const port = parsed.port === '' ? usualPorts[parsed.protocol] : Number(parsed.port);
    return port === undefined ? [] : [{ address: parsed.hostname, port }];
  });
}
