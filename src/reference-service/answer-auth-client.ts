import type { WireRequest, WireResponse } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import type { Client } from './client.ts';
import { toWireProxy } from './issued-proxy.ts';
import type { Network } from './networks.ts';
import type { ProxyRequest } from './proxies.ts';

type Request = WireRequest<'authClient'>;
type Answer = WireResponse<'authClient'>;

/** auth-client: registers a device, or authenticates one that is registered (service-interface; production-profile). */
export const answerAuthClient: Handlers['authClient'] = async (backend, { request, network }) => {
  for (const clientId of [request.source_client_id, request.derived_client_id, request.client_id]) {
    if (clientId !== undefined) backend.clients.get(network.networkId, clientId);
  }
  return request.client_id === undefined
    ? register(backend, network, request)
    : reauthenticate(backend, network, { ...request, client_id: request.client_id });
};

async function register(backend: Backend, network: Network, request: Request): Promise<Answer> {
  if (backend.clients.count(network.networkId) >= backend.clientLimit) {
    const message = `The network has reached its maximum of ${backend.clientLimit} clients.`;
    return { error: { client_limit_exceeded: true, message } };
  }
  const hasLocation = !backend.profile.checksLocation || saysLocation(request);
  const client = backend.clients.create({
    ...toDeviceText(request),
    networkId: network.networkId,
    sourceClientId: request.source_client_id,
    provideMode: backend.profile.initialMode,
    place: backend.world.placeIn(request.proxy_config?.initial_device_state?.country_code),
    proxy: hasLocation ? toProxyRequest(request) : undefined,
  });
  backend.presence.noteAuthentication(client.clientId);
  await backend.reconcile();
  const answer = await createAnswer(backend, network, client);
  // The client exists by then, and is answered beside the error.
  if (!hasLocation) return { ...answer, error: { message: 'Invalid location' } };
  return { ...answer, proxy_config_result: describeProxy(backend, client, request) };
}

async function reauthenticate(
  backend: Backend,
  network: Network,
  request: Request & { readonly client_id: string },
): Promise<Answer> {
  backend.presence.noteAuthentication(request.client_id);
  backend.clients.reauthenticate(request.client_id, toDeviceText(request));
  const client = backend.clients.get(network.networkId, request.client_id);
  const answer = await createAnswer(backend, network, client);
  const asked = toProxyRequest(request);
  if (!backend.profile.reissues || asked === undefined) return answer;
  backend.proxies.issue(client.clientId, asked);
  await backend.reconcile();
  return { ...answer, proxy_config_result: describeProxy(backend, client, request) };
}

async function createAnswer({ profile, tokens }: Backend, network: Network, client: Client): Promise<Answer> {
  return {
    by_client_jwt: await tokens.signClient(network, client),
    client_id: profile.answersClientId ? client.clientId : undefined,
  };
}

/** What was issued, as far as this request asked for it. */
function describeProxy(backend: Backend, { clientId }: Client, request: Request): Answer['proxy_config_result'] {
  const asked = toProxyRequest(request);
  const issued = asked === undefined ? undefined : backend.proxies.find(clientId);
  if (asked === undefined || issued === undefined) return undefined;
  const wanted = { ...issued, tunnel: asked.needsTunnel ? issued.tunnel : undefined };
  return {
    keepalive_seconds: backend.keepaliveSeconds,
    ...toWireProxy(backend.profile, backend.proxyEndpoint, wanted),
  };
}

function toProxyRequest({ proxy_config }: Request): ProxyRequest | undefined {
  if (proxy_config === undefined) return undefined;
  return { needsToken: proxy_config.https_require_auth === true, needsTunnel: proxy_config.enable_wg === true };
}

function toDeviceText(request: Request) {
  return { description: request.description ?? '', deviceSpec: request.device_spec ?? '' };
}

/** False for an `initial_device_state` that says neither country nor location; true where there is no such state. */
function saysLocation(request: Request): boolean {
  const state = request.proxy_config?.initial_device_state;
  return state === undefined || state.country_code !== undefined || state.location !== undefined;
}
