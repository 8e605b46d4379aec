import type { Repositories } from './backend.ts';
import type { Network } from './networks.ts';
import type { Caller } from './platform/issue-contract.ts';

type Known = Pick<Repositories, 'tokens' | 'networks' | 'clients'>;

/** Who sent a token. For a network's token there is only the network. */
export interface TokenHolder {
  readonly network: Network | undefined;
  readonly clientId: string | undefined;
}

/**
 * The holder of the token in a header; undefined for a token that is not good, and for one of a
 * client that was handed over to another network meanwhile.
 */
export async function identifyHolder(
  { tokens, networks, clients }: Known,
  authorization = '',
): Promise<TokenHolder | undefined> {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const claims = token === undefined ? undefined : await tokens.read(token);
  if (claims === undefined) return undefined;
  const { networkId, clientId } = claims;
  if (clientId !== undefined && clients.find(networkId, clientId) === undefined) return undefined;
  return { network: networks.find(networkId), clientId };
}

/** The client whose own token it is; undefined for any other, also for its network's. */
export async function identifyClient(
  known: Known,
  authorization: string | undefined,
): Promise<Caller | undefined> {
  const holder = await identifyHolder(known, authorization);
  if (holder?.network === undefined || holder.clientId === undefined) return undefined;
  return { clientId: holder.clientId, networkId: holder.network.networkId };
}
