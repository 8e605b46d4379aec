import type { OperationResponse } from '../../service/operations.ts';
import { type Profile, type ProvideMode, toProvideMode } from '../../service/profiles.ts';
import { toNamedClient } from '../choose-client.ts';

type ListedClient = OperationResponse<'clients'>['clients'][number];

/** A client as `network clients --json` shows it; null where the service says nothing. */
export interface ClientView {
  readonly clientId: string | null;
  /** The client that this one is derived from. */
  readonly sourceClientId: string | null;
  readonly deviceId: string | null;
  readonly networkId: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly deviceSpec: string | null;
  readonly createdAt: string | null;
  readonly authenticatedAt: string | null;
  readonly provideMode: ProvideMode | null;
  readonly isConnected: boolean;
  readonly connections: readonly ConnectionView[];
  readonly resident: ResidentView | null;
  readonly proxy: ProxyView | null;
}

interface ConnectionView {
  readonly connectionId: string | null;
  readonly connectedAt: string | null;
  /** null while it lasts. */
  readonly disconnectedAt: string | null;
  readonly host: string | null;
  readonly service: string | null;
  readonly block: string | null;
}

interface ResidentView {
  readonly residentId: string | null;
  readonly instanceId: string | null;
  readonly host: string | null;
  readonly service: string | null;
  readonly block: string | null;
  readonly internalPorts: readonly number[];
}

/** Where the client's proxy is; keys and tokens are left out, and so are the URLs, which may hold one. */
interface ProxyView {
  readonly instanceId: string | null;
  readonly host: string | null;
  readonly httpPort: number | null;
  readonly httpsPort: number | null;
  readonly socksPort: number | null;
  readonly wireGuardPort: number | null;
  readonly hasTunnel: boolean;
}

/** What is shown of a client: no secret. */
export function toClientView(client: ListedClient, profile: Profile): ClientView {
  const connections = client.connections.map(toConnectionView);
  return {
    clientId: client.clientId ?? null,
    sourceClientId: client.sourceClientId ?? null,
    deviceId: client.deviceId ?? null,
    networkId: client.networkId ?? null,
    name: toNamedClient(client)?.name || null,
    description: client.description ?? null,
    deviceSpec: client.deviceSpec ?? null,
    createdAt: client.createTime ?? null,
    authenticatedAt: client.authTime ?? null,
    provideMode: toProvideMode(profile, client.provideMode) ?? null,
    isConnected: connections.some(isOpen),
    connections,
    resident: toResidentView(client.resident),
    proxy: toProxyView(client.proxyClient),
  };
}

/** Since when a client is connected; null where it is not, or the service does not say. */
export function toConnectedAt({ connections }: ClientView): string | null {
  return connections.filter(isOpen).find(({ connectedAt }) => connectedAt !== null)?.connectedAt ?? null;
}

function isOpen({ disconnectedAt }: ConnectionView): boolean {
  return disconnectedAt === null;
}

function toConnectionView(connection: ListedClient['connections'][number]): ConnectionView {
  return {
    connectionId: connection.connectionId ?? null,
    connectedAt: connection.connectTime ?? null,
    disconnectedAt: connection.disconnectTime || null,
    host: connection.connectionHost ?? null,
    service: connection.connectionService ?? null,
    block: connection.connectionBlock ?? null,
  };
}

function toResidentView(resident: ListedClient['resident']): ResidentView | null {
  if (resident === undefined) return null;
  return {
    residentId: resident.residentId ?? null,
    instanceId: resident.instanceId ?? null,
    host: resident.residentHost ?? null,
    service: resident.residentService ?? null,
    block: resident.residentBlock ?? null,
    internalPorts: resident.residentInternalPorts,
  };
}

function toProxyView(proxy: ListedClient['proxyClient']): ProxyView | null {
  if (proxy === undefined) return null;
  return {
    instanceId: proxy.instanceId ?? null,
    host: proxy.proxyHost ?? null,
    httpPort: proxy.httpProxyPort ?? null,
    httpsPort: proxy.httpsProxyPort ?? null,
    socksPort: proxy.socksProxyPort ?? null,
    wireGuardPort: proxy.wgConfig?.wgProxyPort ?? null,
    hasTunnel: proxy.wgConfig !== undefined,
  };
}
