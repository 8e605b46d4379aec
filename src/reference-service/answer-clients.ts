import type { WireResponse } from '../service/operations.ts';
import type { Client } from './clients.ts';
import { toWireList, toWireTime } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import { toWireProxy } from './issued-proxy.ts';
import { hourMs } from './usage.ts';

type WireClient = NonNullable<WireResponse<'clients'>['clients']>[number];

/** clients: every device of the network, with the proxy it was issued (its private key included) and a day's connections. */
export function answerClients(backend: Backend): Handler<'clients'> {
  return async ({ network }) => {
    await backend.sample();
    const clients = backend.clients.list(network.networkId).map((client) => toWireClient(backend, client));
    return { clients: toWireList(backend.dialect, clients) };
  };
}

function toWireClient(backend: Backend, client: Client): WireClient {
  const { dialect } = backend;
  const proxy = backend.proxies.find(client.clientId);
  const connections = backend.usage.listConnections(client.clientId, backend.now() - 24 * hourMs).map((connection) => ({
    client_id: client.clientId,
    connection_id: connection.connectionId,
    connect_time: toWireTime(dialect, connection.connectedMs),
    ...(connection.disconnectedMs === undefined
      ? {}
      : { disconnect_time: toWireTime(dialect, connection.disconnectedMs) }),
  }));
  return {
    client_id: client.clientId,
    ...(client.sourceClientId === null ? {} : { source_client_id: client.sourceClientId }),
    device_id: client.deviceId,
    network_id: client.networkId,
    description: client.description,
    device_name: client.description,
    device_spec: client.deviceSpec,
    create_time: toWireTime(dialect, client.createdMs),
    auth_time: toWireTime(dialect, client.authenticatedMs),
    provide_mode: dialect.profile.modeNumbers[client.provideMode],
    ...(proxy === undefined ? {} : { proxy_client: toWireProxy(dialect, backend.proxyEndpoint, proxy) }),
    connections: toWireList(dialect, connections),
  };
}
