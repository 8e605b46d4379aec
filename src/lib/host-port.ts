import { isIP, isIPv6 } from 'node:net';

/** A host by name or address, an IPv6 one without brackets, and a port from 0 to 65535. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `HOST:PORT`, the one form in which configuration, `wg` and the page write it. IPv6 has to
 * be in brackets, which the result does not have. Whether the host is a possible one, and whether
 * port 0 is allowed, is the caller's rule. undefined: the text has another form.
 */
export function parseHostPort(text: string): HostPort | undefined {
  const [, inBrackets, bare = '', port] =
    /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  if (inBrackets !== undefined && isIP(inBrackets) === 0) return undefined;
  return { host: inBrackets ?? bare, port: Number(port) };
}

/** Writes it so that `parseHostPort` reads it: an IPv6 address in brackets. */
export function formatHostPort({ host, port }: HostPort): string {
  return `${toUrlHost(host)}:${port}`;
}

/** The host as a URL has it: an IPv6 address in brackets, anything else unchanged. */
export function toUrlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

const usualPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'mqtt:': 1883,
  'mqtts:': 8883,
};

/**
 * Where a URL leads: its host without brackets, and its port or the usual one of its scheme. For
 * addresses that the configuration has checked.
 * @throws TypeError for text that is no URL of http, https, mqtt or mqtts
 */
export function hostPortOfUrl(text: string): HostPort {
  const { hostname, port, protocol } = new URL(text);
  const usual = usualPorts[protocol];
  if (usual === undefined) throw new TypeError(`no usual port is known for ${protocol}`);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || usual };
}
