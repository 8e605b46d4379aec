import type { OperationResponse } from '../../service/operations.ts';
import { type Profile, toProvideMode } from '../../service/profiles.ts';
import { toNamedClient } from '../choose-client.ts';

type ListedClient = OperationResponse<'clients'>['clients'][number];

/** A client as `network clients --json` shows it. */
export type ClientView = ReturnType<typeof viewClient>;

/** What is shown of a client: no secret. */
export function viewClient(client: ListedClient, profile: Profile) {
  const connections = client.connections.map(viewConnection);
  return {
    clientId: client.clientId,
    /** The client that this one is derived from. */
    sourceClientId: client.sourceClientId,
    deviceId: client.deviceId,
    networkId: client.networkId,
    name: toNamedClient(client)?.name || undefined,
    description: client.description,
    deviceSpec: client.deviceSpec,
    createdAt: client.createTime,
    authenticatedAt: client.authTime,
    provideMode: toProvideMode(profile, client.provideMode),
    isConnected: connections.some(isOpen),
    connections,
    resident: client.resident && viewResident(client.resident),
    proxy: client.proxyClient && viewProxy(client.proxyClient),
  };
}

type ConnectionView = ReturnType<typeof viewConnection>;

function viewConnection(connection: ListedClient['connections'][number]) {
  return {
    connectionId: connection.connectionId,
    connectedAt: connection.connectTime,
    /** undefined while it lasts. */
    disconnectedAt: connection.disconnectTime || undefined,
    host: connection.connectionHost,
    service: connection.connectionService,
    block: connection.connectionBlock,
  };
}

function viewResident(resident: NonNullable<ListedClient['resident']>) {
  return {
    residentId: resident.residentId,
    instanceId: resident.instanceId,
    host: resident.residentHost,
    service: resident.residentService,
    block: resident.residentBlock,
    internalPorts: resident.residentInternalPorts,
  };
}

/** Where the client's proxy is. Keys and tokens are left out, and so are the URLs, which may hold one. */
function viewProxy(proxy: NonNullable<ListedClient['proxyClient']>) {
  return {
    instanceId: proxy.instanceId,
    host: proxy.proxyHost,
    httpPort: proxy.httpProxyPort,
    httpsPort: proxy.httpsProxyPort,
    socksPort: proxy.socksProxyPort,
    wireGuardPort: proxy.wgConfig?.wgProxyPort,
    hasTunnel: proxy.wgConfig !== undefined,
  };
}

/** Since when a client is connected; undefined where it is not, or the service does not say. */
export function findConnectedAt({ connections }: ClientView): string | undefined {
  return connections.filter(isOpen).find(({ connectedAt }) => connectedAt !== undefined)?.connectedAt;
}

function isOpen({ disconnectedAt }: ConnectionView): boolean {
  return disconnectedAt === undefined;
}
