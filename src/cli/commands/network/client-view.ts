import type { OperationResponse } from '../../../service/operations.ts';
import { type Profile, toProvideMode } from '../../../service/profiles.ts';
import { toNamedClient } from '../choose-client.ts';

export type ClientView = ReturnType<typeof viewClient>;

/** What is shown of a client, without secrets. */
export function viewClient(
  client: OperationResponse<'clients'>['clients'][number],
  profile: Profile,
) {
  const { resident, proxyClient } = client;
  const connections = client.connections.map((connection) => ({
    connectionId: connection.connectionId,
    connectedAt: connection.connectTime,
    /** undefined while the connection lasts. */
    disconnectedAt: connection.disconnectTime || undefined,
    host: connection.connectionHost,
    service: connection.connectionService,
    block: connection.connectionBlock,
  }));
  return {
    clientId: client.clientId,
    sourceClientId: client.sourceClientId,
    deviceId: client.deviceId,
    networkId: client.networkId,
    name: toNamedClient(client)?.name || undefined,
    description: client.description,
    deviceSpec: client.deviceSpec,
    createdAt: client.createTime,
    authenticatedAt: client.authTime,
    provideMode: toProvideMode(profile, client.provideMode),
    isConnected: connections.some(({ disconnectedAt }) => disconnectedAt === undefined),
    connections,
    resident: resident && {
      residentId: resident.residentId,
      instanceId: resident.instanceId,
      host: resident.residentHost,
      service: resident.residentService,
      block: resident.residentBlock,
      internalPorts: resident.residentInternalPorts,
    },
    /**
     * Where the client's proxy is. Keys, tokens and URLs are left out, because a URL may contain a
     * token.
     */
    proxy: proxyClient && {
      instanceId: proxyClient.instanceId,
      host: proxyClient.proxyHost,
      httpPort: proxyClient.httpProxyPort,
      httpsPort: proxyClient.httpsProxyPort,
      socksPort: proxyClient.socksProxyPort,
      wireGuardPort: proxyClient.wgConfig?.wgProxyPort,
      hasTunnel: proxyClient.wgConfig !== undefined,
    },
  };
}

/** Since when a client is connected; undefined if it is not, or the service does not say. */
export function findConnectedAt({ connections }: ClientView): string | undefined {
  return connections.find(
    (own) => own.disconnectedAt === undefined && own.connectedAt !== undefined,
  )?.connectedAt;
}
