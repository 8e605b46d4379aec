import type { WireRequest } from '../service/operations.ts';
import type { Backend, Call } from './backend.ts';
import { checkLine, refuse } from './refusal.ts';

type Request = WireRequest<'authClient'>;

/**
 * Checks the request.
 * @throws usage-invalid for a client of another network, or a text that cannot be shown
 */
export function checkRegistration(
  { clients, profile }: Backend,
  { request, network }: Call<'authClient'>,
): void {
  for (const clientId of [request.source_client_id, request.derived_client_id, request.client_id]) {
    if (clientId !== undefined) clients.get(network.networkId, clientId);
  }
  checkLine('A description', request.description ?? '', [0, 100]);
  checkLine('A device_spec', request.device_spec ?? '', [0, 300]);
  const { lock_caller_ip, lock_ip_list = [] } = request.proxy_config ?? {};
  const isRead = request.client_id === undefined || profile.reissues;
  // Success would promise a protection that is not there.
  if (isRead && (lock_caller_ip === true || lock_ip_list.length > 0)) {
    throw refuse(
      'This service cannot lock a proxy to addresses: leave out lock_caller_ip and lock_ip_list.',
    );
  }
}

/**
 * The request with the client that it means: one that was derived before is authenticated again,
 * because a new client at each repetition would use up the limit.
 * @throws usage-invalid for a client that is not derived from the one that is named
 */
export function nameDerived(
  { clients }: Backend,
  { request, network }: Call<'authClient'>,
): Request {
  const { derived_client_id: derivedId, source_client_id: sourceId, client_id: clientId } = request;
  if (derivedId === undefined) return request;
  const derived = clients.get(network.networkId, derivedId);
  if (sourceId === undefined || derived.sourceClientId !== sourceId)
    throw refuse('derived_client_id has to name a client that is derived from source_client_id.');
  if (clientId !== undefined && clientId !== derivedId)
    throw refuse('client_id and derived_client_id name two clients.');
  return { ...request, client_id: derivedId };
}
