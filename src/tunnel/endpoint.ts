import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { messageOf, TributaryError } from '../lib/errors.ts';
import type { Endpoint } from './spec.ts';

/** The endpoint with its name resolved, as wg takes it. `wg` itself would block for minutes. @throws tunnel-failed */
export async function resolveEndpoint(endpoint: Endpoint): Promise<string> {
  if (isIP(endpoint.host) !== 0) return toText(endpoint.host, endpoint.port);
  try {
    const { address } = await lookup(endpoint.host);
    return toText(address, endpoint.port);
  } catch (error) {
    throw new TributaryError('tunnel-failed', `resolving the tunnel's endpoint ${endpoint.host}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function toText(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
