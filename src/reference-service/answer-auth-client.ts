import type { WireRequest, WireResponse } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import type { Client } from './clients.ts';
import { toWireProxy } from './issued-proxy.ts';
import type { ProxyRequest } from './proxies.ts';

type Request = WireRequest<'authClient'>;

/** auth-client: registers a device, or authenticates one that is registered (service-interface; production-profile). */
export const answerAuthClient: Handlers['authClient'] = async (backend, { request, network }) => {
  const { clients, clientLimit, profile, tokens } = backend;
  const { networkId } = network;
  for (const clientId of [request.source_client_id, request.derived_client_id, request.client_id]) {
    if (clientId !== undefined) clients.get(networkId, clientId);
  }
  const isNew = request.client_id === undefined;
  if (isNew && clients.count(networkId) >= clientLimit) {
    const message = `The network has reached its maximum of ${clientLimit} clients.`;
    return { error: { client_limit_exceeded: true, message } };
  }
  const hasLocation = !isNew || !profile.checksLocation || saysLocation(request);
  const asked = hasLocation && (isNew || profile.reissues) ? toProxyRequest(request) : undefined;
  const client = admit(backend, networkId, { request, asked });
  if (isNew || asked !== undefined) await backend.reconcile();
  const answer = {
    by_client_jwt: await tokens.signClient(network, client),
    client_id: profile.answersClientId ? client.clientId : undefined,
  };
  // The client exists by then, and is answered beside the error.
  if (!hasLocation) return { ...answer, error: { message: 'Invalid location' } };
  return { ...answer, proxy_config_result: describeProxy(backend, client.clientId, asked) };
};

interface Admission {
  readonly request: Request;
  /** undefined: nothing is to be issued. */
  readonly asked: ProxyRequest | undefined;
}

/** Registers or authenticates the client, and issues what it asked for. */
function admit(backend: Backend, networkId: string, { request, asked }: Admission): Client {
  const { clients, presence, proxies, profile, world } = backend;
  const { client_id: clientId, description = '', device_spec: deviceSpec = '' } = request;
  if (clientId === undefined) {
    const client = clients.create({
      description,
      deviceSpec,
      networkId,
      sourceClientId: request.source_client_id,
      provideMode: profile.initialMode,
      place: world.placeIn(request.proxy_config?.initial_device_state?.country_code),
      proxy: asked,
    });
    presence.noteAuthentication(client.clientId);
    return client;
  }
  presence.noteAuthentication(clientId);
  clients.reauthenticate(clientId, { description, deviceSpec });
  if (asked !== undefined) proxies.issue(clientId, asked);
  return clients.get(networkId, clientId);
}

/** What was issued, as far as this request asked for it. */
function describeProxy(
  { proxies, profile, proxyEndpoint, keepaliveSeconds }: Backend,
  clientId: string,
  asked: ProxyRequest | undefined,
): WireResponse<'authClient'>['proxy_config_result'] {
  const issued = asked === undefined ? undefined : proxies.find(clientId);
  if (issued === undefined) return undefined;
  const proxy = { ...issued, tunnel: asked?.needsTunnel ? issued.tunnel : undefined };
  return { keepalive_seconds: keepaliveSeconds, ...toWireProxy(profile, proxyEndpoint, proxy) };
}

function toProxyRequest({ proxy_config }: Request): ProxyRequest | undefined {
  if (proxy_config === undefined) return undefined;
  return { needsToken: proxy_config.https_require_auth === true, needsTunnel: proxy_config.enable_wg === true };
}

/** False for an `initial_device_state` that says neither country nor location; true where there is no such state. */
function saysLocation(request: Request): boolean {
  const state = request.proxy_config?.initial_device_state;
  return state === undefined || state.country_code !== undefined || state.location !== undefined;
}
