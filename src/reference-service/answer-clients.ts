import { dayMs } from '../lib/units.ts';
import type { WireRequest } from '../service/operations.ts';
import type { Backend, Call, Handlers } from './backend.ts';
import { checkRegistration, nameDerived } from './check-registration.ts';
import { type Client, type ListedClient, nobodys } from './clients.ts';
import { findByName, findCity } from './place-search.ts';
import { toWireTime } from './profile.ts';
import type { IssuedProxy, ProxyRequest } from './proxies.ts';
import { refuse } from './refusal.ts';
import { toStableId } from './repeatable.ts';
import type { Connection } from './usage-history.ts';
import { toWireProxy } from './wire-proxy.ts';
import type { ClientPlace } from './world.ts';

/** The block of all clients, because this service has only one. */
const block = 'main';

export const clientHandlers = {
  /**
   * All devices of the network, or only the device whose token it is, with the issued proxy (its
   * private key included) and the connections of a day.
   */
  async clients(backend, { network, ownClientId }) {
    await backend.sample();
    const { clients, proxies, usageHistory } = backend;
    const sinceMs = backend.now() - dayMs;
    const pages = clients.listPages(network.networkId, ownClientId).map((page) => {
      const proxyOf = proxies.listIn(page.range);
      const connectionsOf = usageHistory.connectionsIn(page.range, sinceMs);
      return page.clients.map((client) => {
        const connections = connectionsOf.get(client.clientId) ?? [];
        return toWireClient(backend, {
          ...client,
          proxy: proxyOf.get(client.clientId),
          connections,
        });
      });
    });
    return { clients: pages };
  },

  /** Where the profiles differ, service-interface and production-profile say how. */
  async authClient(backend, call) {
    const { clients, clientLimit, profile, tokens } = backend;
    const { network } = call;
    const { networkId } = network;
    checkRegistration(backend, call);
    const request = nameDerived(backend, call);
    const isNew = request.client_id === undefined;
    if (isNew && clients.count(networkId) >= clientLimit) {
      const message = `The network has reached its maximum of ${clientLimit} clients.`;
      return { error: { client_limit_exceeded: true, message } };
    }
    const hasLocation = !isNew || !profile.checksLocation || saysLocation(request);
    const asked = hasLocation && (isNew || profile.reissues) ? toProxyRequest(request) : undefined;
    if (asked?.needsUrls) await backend.proxyEnd.open();
    const client = admit(backend, { ...call, request }, asked);
    warnOfUnkept(backend, client.clientId, request);
    if (isNew || asked !== undefined) await backend.reconcile();
    const answer = {
      by_client_jwt: await tokens.signClient(network, client),
      client_id: profile.answersClientId ? client.clientId : undefined,
    };
    // The client exists already, and is answered beside the error.
    if (!hasLocation) return { ...answer, error: { message: 'Invalid location' } };
    return { ...answer, proxy_config_result: describeProxy(backend, client.clientId, asked) };
  },

  /** Its tunnel is closed before the answer is sent. */
  async removeClient({ clients, associations, reconcile }, { request, network }) {
    const { clientId, networkId } = clients.get(network.networkId, request.client_id);
    associations.forget(networkId, clientId);
    clients.remove(clientId);
    await reconcile();
    return {};
  },
} satisfies Partial<Handlers>;

type ClientParts = ListedClient &
  Readonly<{ proxy: IssuedProxy | undefined; connections: readonly Connection[] }>;

function toWireClient({ profile, proxyEndpoint }: Backend, client: ClientParts) {
  const { clientId, authenticatedMs, proxy } = client;
  // How the client is connected: by its tunnel, or only by its requests.
  const service = proxy?.tunnel === undefined ? 'http' : 'wireguard';
  return {
    client_id: clientId,
    source_client_id: client.sourceClientId ?? undefined,
    device_id: client.deviceId,
    network_id: profile.listsNetworkIds ? client.networkId : nobodys,
    description: client.description,
    device_name: client.deviceName ?? client.description,
    device_spec: client.deviceSpec,
    create_time: toWireTime(profile, client.createdMs),
    auth_time: authenticatedMs === 0 ? undefined : toWireTime(profile, authenticatedMs),
    provide_mode:
      profile.listsInitialMode || client.hasPublished === 1
        ? profile.modeNumbers[client.provideMode]
        : undefined,
    proxy_client: proxy === undefined ? undefined : toWireProxy(profile, proxyEndpoint, proxy),
    // What runs for a connected client is the end of its tunnel.
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
    connections: client.connections.map(({ connectionId, connectedMs, disconnectedMs }) => ({
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

/**
 * Registers or authenticates the client, and issues what it asked for; `asked` is undefined if it
 * asked for nothing.
 */
function admit(
  backend: Backend,
  { request, network }: Call<'authClient'>,
  asked: ProxyRequest | undefined,
): Client {
  const { clients, presence, proxies, profile } = backend;
  const { client_id: clientId, description, device_spec: deviceSpec } = request;
  const place =
    clientId === undefined || profile.reissues ? findPlace(backend, request) : undefined;
  if (clientId === undefined) {
    const client = clients.create({
      description: description ?? '',
      deviceSpec: deviceSpec ?? '',
      networkId: network.networkId,
      sourceClientId: request.source_client_id,
      provideMode: profile.initialMode,
      place,
      proxy: asked,
    });
    presence.noteAuthentication(client.clientId);
    return client;
  }
  presence.noteAuthentication(clientId);
  const { unsaidText } = profile;
  clients.reauthenticate(clientId, {
    description: description ?? unsaidText,
    deviceSpec: deviceSpec ?? unsaidText,
  });
  if (asked !== undefined) proxies.issue(clientId, asked);
  return clients.get(network.networkId, clientId);
}

/**
 * The main city of the place that the request names; undefined where it names no place.
 * @throws usage-invalid for a place that is unknown
 */
function findPlace(
  { world, directory }: Backend,
  { proxy_config }: Request,
): ClientPlace | undefined {
  const { country_code: code, location } = proxy_config?.initial_device_state ?? {};
  const { name, location_type: type } = location ?? {};
  const {
    location_id: placeId,
    location_group_id: groupId,
    client_id: clientId,
  } = location?.connect_location_id ?? {};
  const [provider] =
    clientId === undefined ? [] : directory.find({ count: 1, choices: [{ clientId }] });
  const country = code === undefined ? [] : [[world.toCountryId(code)]];
  const ids = [placeId, groupId, clientId && (provider?.cityId ?? '')];
  const named = ids.flatMap((id) => (id === undefined ? [] : [[id]]));
  // A name without country or type may be only the beginning of a place's name.
  if (!type && named.length + country.length === 0)
    return name === undefined ? name : findCity(world, name);
  const namesakes = findByName(world, name ?? '').flatMap(({ found, distance }) =>
    distance === 0 ? found : [],
  );
  if (name !== undefined)
    named.push(namesakes.map((one) => (one.type === 'group' ? one.groupId : one.locationId)));
  const isOfType = (id: string) => !type || world.findPlace(id)?.type === type;
  const typed = (named.length > 0 ? named : country).map((area) => area.filter(isOfType));
  const [area, ...others] = [...typed, ...country].map((area) => area.flatMap(world.citiesOf));
  const city = area?.find((one) => others.every((other) => other.includes(one)));
  if (city === undefined)
    throw refuse('Invalid location: the world of this service has no such place.');
  return city;
}

/** Warns about fields that were accepted although nothing here acts on them. */
function warnOfUnkept(
  { warn }: Backend,
  clientId: string,
  { proxy_config: asked, ...request }: Request,
): void {
  const { client_id, derived_client_id, ...others } = request;
  const { performance_profile } = asked?.initial_device_state ?? {};
  // The initial state is used for new clients only.
  const source_client_id = derived_client_id === undefined ? others.source_client_id : undefined;
  const wishes = Object.entries(
    client_id === undefined ? { performance_profile } : { source_client_id },
  );
  const unkept = wishes.flatMap(([name, wish]) =>
    Object.keys(wish ?? {}).length > 0 || wish === true ? name : [],
  );
  if (unkept.length > 0)
    warn(`client ${clientId} asked for ${unkept.join(', ')}, which has no effect here`);
}

function describeProxy(backend: Backend, clientId: string, asked: ProxyRequest | undefined) {
  const issued = asked && backend.proxies.find(clientId);
  if (issued === undefined) return undefined;
  const proxy = { ...issued, tunnel: asked?.needsTunnel ? issued.tunnel : undefined };
  return {
    keepalive_seconds: backend.keepaliveSeconds,
    ...toWireProxy(backend.profile, backend.proxyEndpoint, proxy),
  };
}

function toProxyRequest({ proxy_config }: Request): ProxyRequest | undefined {
  if (proxy_config === undefined) return undefined;
  const { https_require_auth: requiresAuth, enable_wg } = proxy_config;
  return {
    // Its proxies ask for the token always, so others have no use for them.
    needsUrls: requiresAuth === true,
    needsTunnel: enable_wg === true,
  };
}

function saysLocation(request: Request): boolean {
  const state = request.proxy_config?.initial_device_state;
  return state === undefined || state.country_code !== undefined || state.location !== undefined;
}
