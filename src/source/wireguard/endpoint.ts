import { lookup } from 'node:dns/promises';
import { rethrow, TributaryError } from '../../errors/codes.ts';
import { isInAny, privatePrefixes } from '../../lib/addresses.ts';
import { formatHostPort, hostPortOfUrl } from '../../lib/host-port.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Endpoint } from './state.ts';

/**
 * In ms. A name server that does not answer must not delay the pass that renews the permit, and the
 * lookup itself cannot be aborted.
 */
const patienceMs = 5_000;

type LookUp = (host: string) => Promise<{ readonly address: string }>;

/**
 * The endpoint with its name resolved, because `wg` would wait for a name server. It may only lead
 * to addresses that the context allows.
 * @throws tunnel-failed
 */
export async function resolveEndpoint(
  { host, port }: Endpoint,
  context: ServiceContext,
  lookUp: LookUp = lookup,
): Promise<string> {
  const doing = `resolving the tunnel's endpoint ${host}`;
  const address = await withPatience(lookUp(host)).catch(rethrow('tunnel-failed', doing));
  const fault = findEndpointFault(address, context);
  if (fault !== undefined) throw new TributaryError('tunnel-failed', `${doing}: ${fault}`);
  return formatHostPort({ host: address, port });
}

async function withPatience(answer: ReturnType<LookUp>): Promise<string> {
  const answered = new AbortController();
  const patience = sleep(patienceMs, answered.signal).then(() => {
    throw new Error(`no answer within ${patienceMs / 1000} s`);
  });
  const { address } = await Promise.race([answer, patience]).finally(() => answered.abort());
  return address;
}

const impossible = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/128',
  'fe80::/10',
  'ff00::/8',
  '::ffff:0:0/96',
];
const loopback = ['127.0.0.0/8', '::1/128'];
/** Networks of homes and carriers, and the prefixes that translate IPv6 to them. */
const privateRanges = [
  ...privatePrefixes.v4,
  ...privatePrefixes.v6,
  ...['fec0::/10', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'],
];

export interface ServiceContext {
  /**
   * A service on loopback, in a trial on one machine, may name an endpoint on loopback. No other
   * service may.
   */
  readonly isServiceOnLoopback: boolean;
  /** A service at a private address may name private endpoints. */
  readonly isServicePrivate?: boolean;
  /** `gateway.allow_destinations`: private addresses that the owner names. */
  readonly allowed?: readonly string[];
}

/** @param baseUrl `service.base_url` */
export function toServiceContext(baseUrl: string, allowed: readonly string[]): ServiceContext {
  const host = hostPortOfUrl(baseUrl).host;
  const isServiceOnLoopback = host === 'localhost' || isInAny(host, loopback);
  const isServicePrivate = isServiceOnLoopback || isInAny(host, privateRanges);
  return { isServiceOnLoopback, isServicePrivate, allowed };
}

/** Why an address cannot be a peer's endpoint; undefined if it can. */
export function findEndpointFault(address: string, context: ServiceContext): string | undefined {
  if (isInAny(address, impossible)) return `${address} can be no server's address`;
  if (isInAny(address, loopback))
    return context.isServiceOnLoopback ? undefined : `${address} is this device itself`;
  const isNear = isInAny(address, privateRanges) && !isInAny(address, context.allowed ?? []);
  if (!isNear || context.isServicePrivate === true) return undefined;
  return `${address} is in a private network; if your tunnel does end there, write ${address} into gateway.allow_destinations`;
}
