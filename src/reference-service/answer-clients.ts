import type { WireRequest, WireResponse } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import type { Client, ListedClient } from './clients.ts';
import { toWireProxy } from './issued-proxy.ts';
import { toWireTime } from './profile.ts';
import type { IssuedProxy, ProxyRequest } from './proxies.ts';
import { toStableId } from './repeatable.ts';
import type { Connection } from './usage-history.ts';
import { dayMs } from './usage-unit.ts';

type WireClient = NonNullable<WireResponse<'clients'>['clients']>[number];

/** This service is one block: nothing of it lies elsewhere. */
const block = 'main';

/** The owner's devices. */
export const clientHandlers = {
  /** Every device of the network, with the proxy it was issued (its private key included) and a day's connections. */
  async clients(backend, { network }) {
    await backend.sample();
    const { clients, proxies, usageHistory } = backend;
    const sinceMs = backend.now() - dayMs;
    const pages = clients.listPages(network.networkId).map((page) => {
      const proxyOf = proxies.listIn(page.range);
      const connectionsOf = usageHistory.connectionsIn(page.range, sinceMs);
      return page.clients.map((client) => {
        const connections = connectionsOf.get(client.clientId) ?? [];
        return toWireClient(backend, { client, proxy: proxyOf.get(client.clientId), connections });
      });
    });
    return { clients: pages };
  },

  /** Registers a device, or authenticates one that is registered (service-interface; production-profile). */
  async authClient(backend, { request, network }) {
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
  },
} satisfies Partial<Handlers>;

interface ClientParts {
  readonly client: ListedClient;
  readonly proxy: IssuedProxy | undefined;
  readonly connections: readonly Connection[];
}

function toWireClient({ profile, proxyEndpoint }: Backend, { client, proxy, connections }: ClientParts): WireClient {
  const { clientId, authenticatedMs } = client;
  // By what the client is connected: its tunnel, or nothing but what it asks.
  const service = proxy?.tunnel === undefined ? 'http' : 'wireguard';
  return {
    client_id: clientId,
    source_client_id: client.sourceClientId ?? undefined,
    device_id: client.deviceId,
    network_id: client.networkId,
    description: client.description,
    device_name: client.description,
    device_spec: client.deviceSpec,
    create_time: toWireTime(profile, client.createdMs),
    auth_time: authenticatedMs === 0 ? undefined : toWireTime(profile, authenticatedMs),
    provide_mode: profile.modeNumbers[client.provideMode],
    proxy_client: proxy === undefined ? undefined : toWireProxy(profile, proxyEndpoint, proxy),
    // What runs for a connected client: the end of its tunnel.
    resident:
      client.isOnline === 0 || proxy?.tunnel === undefined
        ? undefined
        : {
            client_id: clientId,
            instance_id: proxy.instanceId,
            resident_id: toStableId('resident', clientId),
            resident_host: proxyEndpoint.host,
            resident_service: service,
            resident_block: block,
            resident_internal_ports: [proxyEndpoint.port],
          },
    connections: connections.map(({ connectionId, connectedMs, disconnectedMs }) => ({
      client_id: clientId,
      connection_id: connectionId,
      connect_time: toWireTime(profile, connectedMs),
      disconnect_time: disconnectedMs === null ? undefined : toWireTime(profile, disconnectedMs),
      connection_host: proxyEndpoint.host,
      connection_service: service,
      connection_block: block,
    })),
  };
}

type Request = WireRequest<'authClient'>;

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
function describeProxy(backend: Backend, clientId: string, asked: ProxyRequest | undefined) {
  const issued = asked && backend.proxies.find(clientId);
  if (issued === undefined) return undefined;
  const proxy = { ...issued, tunnel: asked?.needsTunnel ? issued.tunnel : undefined };
  return { keepalive_seconds: backend.keepaliveSeconds, ...toWireProxy(backend.profile, backend.proxyEndpoint, proxy) };
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
