import type { OperationResponse } from '../../../service/operations.ts';
import { type Profile, type ProvideMode, toProvideMode } from '../../../service/profiles.ts';
import { toNamedClient } from '../choose-client.ts';

type Client = OperationResponse<'clients'>['clients'][number];
type Connection = Client['connections'][number];
type Resident = NonNullable<Client['resident']>;
type Proxy = NonNullable<Client['proxyClient']>;

/** What is shown of a client, without secrets; undefined is what the service did not say. */
export interface ClientView
  extends Pick<
    Client,
    'clientId' | 'sourceClientId' | 'deviceId' | 'networkId' | 'description' | 'deviceSpec'
  > {
  readonly name: string | undefined;
  readonly createdAt: Client['createTime'];
  readonly authenticatedAt: Client['authTime'];
  readonly provideMode: ProvideMode | undefined;
  readonly isConnected: boolean;
  readonly connections: readonly ConnectionView[];
  readonly resident: ResidentView | undefined;
  readonly proxy: ProxyView | undefined;
}

interface ConnectionView extends Pick<Connection, 'connectionId'> {
  readonly connectedAt: Connection['connectTime'];
  /** undefined while it lasts. */
  readonly disconnectedAt: Connection['disconnectTime'];
  readonly host: Connection['connectionHost'];
  readonly service: Connection['connectionService'];
  readonly block: Connection['connectionBlock'];
}

interface ResidentView extends Pick<Resident, 'residentId' | 'instanceId'> {
  readonly host: Resident['residentHost'];
  readonly service: Resident['residentService'];
  readonly block: Resident['residentBlock'];
  readonly internalPorts: Resident['residentInternalPorts'];
}

/**
 * Where the client's proxy is. Keys and tokens are left out, and so are the URLs, which may hold
 * one.
 */
interface ProxyView extends Pick<Proxy, 'instanceId'> {
  readonly host: Proxy['proxyHost'];
  readonly httpPort: Proxy['httpProxyPort'];
  readonly httpsPort: Proxy['httpsProxyPort'];
  readonly socksPort: Proxy['socksProxyPort'];
  readonly wireGuardPort: number | undefined;
  readonly hasTunnel: boolean;
}

export function viewClient(client: Client, profile: Profile): ClientView {
  const { resident, proxyClient } = client;
  const connections = client.connections.map((connection) => ({
    connectionId: connection.connectionId,
    connectedAt: connection.connectTime,
    disconnectedAt: connection.disconnectTime || undefined,
    host: connection.connectionHost,
    service: connection.connectionService,
    block: connection.connectionBlock,
  }));
  return {
    clientId: client.clientId,
    sourceClientId: client.sourceClientId,
    deviceId: client.deviceId,
    // A production service names no network here, but an id of zeros.
    networkId: /[1-9a-f]/i.test(client.networkId ?? '') ? client.networkId : undefined,
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
