import { rethrow, TributaryError } from '../../errors/codes.ts';
import { isInAny, privatePrefixes, toGroups } from '../../lib/addresses.ts';
import { type Names, systemNames } from '../../lib/connect-in-turn.ts';
import { formatHostPort, hostPortOfUrl } from '../../lib/host-port.ts';
import type { Endpoint } from './state.ts';

/**
 * The endpoint under each address of its name, because `wg` would wait for a name server and take
 * only the first, and after them what was good before. Addresses that the context does not allow
 * are left out. It takes as long as the system's name servers take, so a pass does not wait for its
 * end.
 * @throws tunnel-failed where none is left
 */
export async function resolveEndpoint(
  { host, port }: Endpoint,
  context: ServiceContext,
  names: Pick<Names, 'lookUp' | 'alsoGood'> = systemNames,
): Promise<readonly string[]> {
  const doing = `resolving the tunnel's endpoint ${host}`;
  const found = await names.lookUp(host).catch(rethrow('tunnel-failed', doing));
  const addresses = [...new Set([...found, ...(names.alsoGood?.(host) ?? [])])];
  const faults = addresses.map((address) => findEndpointFault(address, context));
  const possible = addresses.filter((_, index) => faults[index] === undefined);
  if (possible.length === 0)
    throw new TributaryError('tunnel-failed', `${doing}: ${faults[0] ?? 'it has no address'}`);
  return possible.map((address) => formatHostPort({ host: address, port }));
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
  ...['fec0::/10', '64:ff9b:1::/48', '2002::/16'],
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
  const translated = readTranslated(address);
  if (translated !== undefined) {
    const fault = findEndpointFault(translated, context);
    return fault && `${address} leads to ${translated}, which is not on the Internet`;
  }
  if (isInAny(address, impossible)) return `${address} can be no server's address`;
  if (isInAny(address, loopback))
    return context.isServiceOnLoopback ? undefined : `${address} is this device itself`;
  const isNear = isInAny(address, privateRanges) && !isInAny(address, context.allowed ?? []);
  if (!isNear || context.isServicePrivate === true) return undefined;
  return `${address} is in a private network; if your tunnel does end there, write ${address} into gateway.allow_destinations`;
}

/**
 * The IPv4 address in one of NAT64's well-known prefix, which stands for it in networks of IPv6
 * alone (RFC 6052); undefined for any other. Another prefix has a layout that cannot be known.
 */
function readTranslated(address: string): string | undefined {
  if (!isInAny(address, ['64:ff9b::/96'])) return undefined;
  const [high = 0, low = 0] = toGroups(address).slice(-2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
