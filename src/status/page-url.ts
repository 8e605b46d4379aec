import { hostname } from 'node:os';
import { formatHostPort, type HostPort } from '../lib/host-port.ts';

/**
 * The address at which a browser opens a page that listens there. For a page that listens on every
 * address it has the device's own name.
 */
export function toPageUrl({ host, port }: HostPort): string {
  const shown = ['0.0.0.0', '::'].includes(host) ? hostname() : host;
  return new URL(`http://${formatHostPort({ host: shown, port })}`).origin;
}
