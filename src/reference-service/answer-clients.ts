import type { WireResponse } from '../service/operations.ts';
import type { ListedClient } from './client-pages.ts';
import { toWireList, toWireTime } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import { toWireProxy } from './issued-proxy.ts';
import { toWirePages } from './pages.ts';
import type { IssuedProxy } from './proxies.ts';
import { toStableId } from './stable-id.ts';
import type { Connection } from './usage-history.ts';
import { dayMs } from './usage-unit.ts';

type WireClient = NonNullable<WireResponse<'clients'>['clients']>[number];
type WireConnection = NonNullable<WireClient['connections']>[number];

/** This service is one block: nothing of it lies elsewhere. */
const block = 'main';

/** clients: every device of the network, with the proxy it was issued (its private key included) and a day's connections. */
export function answerClients(backend: Backend): Handler<'clients'> {
  return async ({ network }) => {
    await backend.sample();
    const { dialect, proxies, usageHistory } = backend;
    const sinceMs = backend.now() - dayMs;
    const pages = Iterator.from(backend.clientPages(network.networkId)).map(({ clients, range }) => {
      const proxyOf = proxies.listIn(range);
      const connectionsOf = usageHistory.connectionsIn(range, sinceMs);
      return clients.map((client) => {
        const connections = connectionsOf.get(client.clientId) ?? [];
        return toWireClient(backend, { client, proxy: proxyOf.get(client.clientId), connections });
      });
    });
    return { clients: toWirePages(dialect, pages) };
  };
}

interface ClientParts {
  readonly client: ListedClient;
  readonly proxy: IssuedProxy | undefined;
  readonly connections: readonly Connection[];
}

function toWireClient(backend: Backend, { client, proxy, connections }: ClientParts): WireClient {
  const { dialect } = backend;
  const service = toServiceName(proxy);
  return {
    client_id: client.clientId,
    ...(client.sourceClientId === null ? {} : { source_client_id: client.sourceClientId }),
    device_id: client.deviceId,
    network_id: client.networkId,
    description: client.description,
    device_name: client.description,
    device_spec: client.deviceSpec,
    create_time: toWireTime(dialect, client.createdMs),
    ...(client.authenticatedMs === 0 ? {} : { auth_time: toWireTime(dialect, client.authenticatedMs) }),
    provide_mode: dialect.profile.modeNumbers[client.provideMode],
    ...(proxy === undefined ? {} : { proxy_client: toWireProxy(dialect, backend.proxyEndpoint, proxy) }),
    ...toWireResident(backend, client, proxy),
    connections: toWireList(
      dialect,
      connections.map((connection) => toWireConnection(backend, connection, service)),
    ),
  };
}

/** What runs for a connected client: the end of its tunnel. */
function toWireResident(
  { proxyEndpoint }: Backend,
  { clientId, isOnline }: ListedClient,
  proxy: IssuedProxy | undefined,
): Pick<WireClient, 'resident'> {
  if (!isOnline || proxy?.tunnel === undefined) return {};
  return {
    resident: {
      client_id: clientId,
      instance_id: proxy.instanceId,
      resident_id: toStableId('resident', clientId),
      resident_host: proxyEndpoint.host,
      resident_service: toServiceName(proxy),
      resident_block: block,
      resident_internal_ports: [proxyEndpoint.port],
    },
  };
}

function toWireConnection(
  { dialect, proxyEndpoint }: Backend,
  connection: Connection,
  service: string,
): WireConnection {
  const { clientId, connectionId, connectedMs, disconnectedMs } = connection;
  return {
    client_id: clientId,
    connection_id: connectionId,
    connect_time: toWireTime(dialect, connectedMs),
    ...(disconnectedMs === null ? {} : { disconnect_time: toWireTime(dialect, disconnectedMs) }),
    connection_host: proxyEndpoint.host,
    connection_service: service,
    connection_block: block,
  };
}

/** By what the client is connected: its tunnel, or nothing but what it asks. */
function toServiceName(proxy: IssuedProxy | undefined): string {
  return proxy?.tunnel === undefined ? 'http' : 'wireguard';
}
