import { lookup } from 'node:dns/promises';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import { findEndpointFault, type ServiceContext } from './endpoint-address.ts';
import type { Endpoint } from './state.ts';

/** A name server that is gone must not hold up the pass that renews the permit; the lookup itself cannot be ended. */
const patienceMs = 5_000;

type LookUp = (host: string) => Promise<{ readonly address: string }>;

/** With its name resolved, at which `wg` would block; it leads only where an address may. @throws tunnel-failed */
export async function resolveEndpoint(
  { host, port }: Endpoint,
  context: ServiceContext,
  lookUp: LookUp = lookup,
): Promise<string> {
  const doing = `resolving the tunnel's endpoint ${host}`;
  const address = await withPatience(lookUp(host)).catch((error: unknown) => {
    throw new TributaryError('tunnel-failed', `${doing}: ${messageOf(error)}`, { cause: error });
  });
  const fault = findEndpointFault(address, context);
  if (fault !== undefined) throw new TributaryError('tunnel-failed', `${doing}: ${fault}`);
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

async function withPatience(answer: ReturnType<LookUp>): Promise<string> {
  const answered = new AbortController();
  const patience = sleep(patienceMs, answered.signal).then(() => {
    throw new Error(`no answer within ${patienceMs / 1000} s`);
  });
  const { address } = await Promise.race([answer, patience]).finally(() => answered.abort());
  return address;
}
