import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { findEndpointFault, type ServiceContext } from './endpoint-address.ts';
import type { Endpoint } from './spec.ts';

/** A name server that is gone must not hold up the pass that renews the permit; the lookup itself cannot be ended. */
const patienceMs = 5_000;

/**
 * The endpoint with its name resolved, as wg takes it: `wg` itself would block for minutes. A name may not lead where an
 * address may not. @throws tunnel-failed
 */
export async function resolveEndpoint(endpoint: Endpoint, context: ServiceContext): Promise<string> {
  const { host, port } = endpoint;
  if (isIP(host) !== 0) return renderEndpoint(host, port);
  const address = await lookUp(host).catch((error: unknown) => {
    throw new TributaryError('tunnel-failed', `resolving the tunnel's endpoint ${host}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  const fault = findEndpointFault(address, context);
  if (fault === undefined) return renderEndpoint(address, port);
  throw new TributaryError('tunnel-failed', `resolving the tunnel's endpoint ${host}: ${fault}`);
}

async function lookUp(host: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / 1000} s`)), patienceMs);
  });
  try {
    const { address } = await Promise.race([lookup(host), patience]);
    return address;
  } finally {
    clearTimeout(timer);
  }
}

function renderEndpoint(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
