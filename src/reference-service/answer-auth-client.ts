import type { WireRequest, WireResponse } from '../service/operations.ts';
import type { Client } from './clients.ts';
import type { Backend, Handler } from './handler.ts';
import { toWireProxy } from './issued-proxy.ts';
import type { Network } from './networks.ts';
import type { ProxyWish } from './proxies.ts';

type Request = WireRequest<'authClient'>;
type Answer = WireResponse<'authClient'>;

/** auth-client: registers a device, or authenticates one that is registered (service-interface; production-profile). */
export function answerAuthClient(backend: Backend): Handler<'authClient'> {
  return async ({ request, network }) => {
    for (const clientId of [request.source_client_id, request.derived_client_id, request.client_id]) {
      if (clientId === undefined || backend.clients.find(network.networkId, clientId) !== undefined) continue;
      return { error: { message: 'Client does not exist.' } };
    }
    return request.client_id === undefined
      ? register(backend, network, request)
      : reauthenticate(backend, network, { ...request, client_id: request.client_id });
  };
}

async function register(backend: Backend, network: Network, request: Request): Promise<Answer> {
  if (backend.clients.count(network.networkId) >= backend.clientLimit) {
    const message = `The network has reached its maximum of ${backend.clientLimit} clients.`;
    return { error: { client_limit_exceeded: true, message } };
  }
  const hasLocation = !backend.dialect.checksLocation || saysLocation(request);
  const client = backend.clients.create({
    ...toDeviceText(request),
    networkId: network.networkId,
    sourceClientId: request.source_client_id,
    provideMode: backend.dialect.initialMode,
    place: backend.world.placeIn(request.proxy_config?.initial_device_state?.country_code),
    proxy: hasLocation ? toProxyWish(request) : undefined,
  });
  backend.presence.noteAuthentication(client.clientId);
  await backend.reconcile();
  const answer = await toAnswer(backend, network, client);
  // The client exists by then, and is answered beside the error.
  if (!hasLocation) return { ...answer, error: { message: 'Invalid location' } };
  return { ...answer, ...toProxyAnswer(backend, client, request) };
}

async function reauthenticate(
  backend: Backend,
  network: Network,
  request: Request & { readonly client_id: string },
): Promise<Answer> {
  backend.presence.noteAuthentication(request.client_id);
  backend.clients.reauthenticate(request.client_id, toDeviceText(request));
  const client = backend.clients.find(network.networkId, request.client_id);
  if (client === undefined) return { error: { message: 'Client does not exist.' } };
  const answer = await toAnswer(backend, network, client);
  const wish = toProxyWish(request);
  if (!backend.dialect.reissues || wish === undefined) return answer;
  backend.proxies.issue(client.clientId, wish);
  await backend.reconcile();
  return { ...answer, ...toProxyAnswer(backend, client, request) };
}

async function toAnswer(backend: Backend, network: Network, client: Client): Promise<Answer> {
  return {
    by_client_jwt: await backend.tokens.signClient(network, client),
    ...(backend.dialect.answersClientId ? { client_id: client.clientId } : {}),
  };
}

/** What was issued, as far as this request asked for it. */
function toProxyAnswer(backend: Backend, client: Client, request: Request): Pick<Answer, 'proxy_config_result'> {
  const wish = toProxyWish(request);
  const issued = wish === undefined ? undefined : backend.proxies.find(client.clientId);
  if (wish === undefined || issued === undefined) return {};
  const asked = { ...issued, tunnel: wish.needsTunnel ? issued.tunnel : undefined };
  const proxy = toWireProxy(backend.dialect, backend.proxyEndpoint, asked);
  return { proxy_config_result: { keepalive_seconds: backend.keepaliveSeconds, ...proxy } };
}

function toProxyWish(request: Request): ProxyWish | undefined {
  const wanted = request.proxy_config;
  if (wanted === undefined) return undefined;
  return { needsToken: wanted.https_require_auth === true, needsTunnel: wanted.enable_wg === true };
}

function toDeviceText(request: Request) {
  return { description: request.description ?? '', deviceSpec: request.device_spec ?? '' };
}

/** False for an `initial_device_state` that says neither country nor location; true where there is no such state. */
function saysLocation(request: Request): boolean {
  const state = request.proxy_config?.initial_device_state;
  return state === undefined || state.country_code !== undefined || state.location !== undefined;
}
