import type { WireResponse } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import type { ListedClient } from './clients.ts';
import { toWireProxy } from './issued-proxy.ts';
import { toWireTime } from './profile.ts';
import type { IssuedProxy } from './proxies.ts';
import { toStableId } from './stable-id.ts';
import type { Connection } from './usage-history.ts';
import { dayMs } from './usage-unit.ts';

type WireClient = NonNullable<WireResponse<'clients'>['clients']>[number];

/** This service is one block: nothing of it lies elsewhere. */
const block = 'main';

/** clients: every device of the network, with the proxy it was issued (its private key included) and a day's connections. */
export const answerClients: Handlers['clients'] = async (backend, { network }) => {
  await backend.sample();
  const { clients, proxies, usageHistory } = backend;
  const sinceMs = backend.now() - dayMs;
  const pages = Iterator.from(clients.listPages(network.networkId)).map((page) => {
    const proxyOf = proxies.listIn(page.range);
    const connectionsOf = usageHistory.connectionsIn(page.range, sinceMs);
    return page.clients.map((client) => {
      const connections = connectionsOf.get(client.clientId) ?? [];
      return toWireClient(backend, { client, proxy: proxyOf.get(client.clientId), connections });
    });
  });
  return { clients: pages };
};

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
