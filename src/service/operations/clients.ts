import * as z from 'zod';
import {
  answer,
  answerOr,
  clientFailure,
  flag,
  integer,
  list,
  maybe,
  number,
  object,
  secret,
  text,
} from '../fields.ts';
import { making, type Operation, reading } from '../operation.ts';
import { providerSpec } from './discovery.ts';

export const wgConfig = object(() => ({
  wg_proxy_port: integer.describe("UDP port of the tunnel's other end."),
  client_private_key: secret.describe("The client's private key, base64."),
  client_public_key: text.describe("The client's public key, base64."),
  client_ipv4: text.describe("The client's address in the tunnel, with a prefix length or bare."),
  proxy_public_key: text.describe("Public key of the tunnel's other end, base64."),
  config: secret.describe('The same as a configuration text of WireGuard.'),
}));

const listProxyFields = () => ({
  http_proxy_url: text.describe('HTTP proxy, if one was issued.'),
  https_proxy_url: text.describe('HTTPS proxy, if one was issued.'),
  socks_proxy_url: text.describe('SOCKS proxy, if one was issued.'),
  auth_token: secret.describe('Token for the proxy itself, where it asks for one.'),
  instance_id: text.describe('Instance of the proxy.'),
  proxy_host: text.describe('Host of the proxy.'),
  socks_proxy_port: integer.describe('Port of the SOCKS proxy.'),
  http_proxy_port: integer.describe('Port of the HTTP proxy.'),
  https_proxy_port: integer.describe('Port of the HTTPS proxy.'),
  wg_config: maybe(wgConfig).describe('The WireGuard tunnel; null where none was issued.'),
});
/** A client's proxy in the list of clients. */
export const proxyClient = object(listProxyFields);
/** A client's proxy in the answer of auth-client. */
export const proxyConfigResult = object(() => ({
  keepalive_seconds: number.describe(
    'Seconds between two signs of life; 0 where the service leaves it to the device.',
  ),
  ...listProxyFields(),
}));

const location = object(() => ({
  connect_location_id: maybe(providerSpec).describe('The place, as one or several of these.'),
  name: text.describe('Name of the place.'),
  location_type: maybe(z.enum(['country', 'region', 'city'])).describe('What kind of place it is.'),
}));

const windowSizeSettings = object(() => ({
  window_size_min: number.describe('Least size.'),
  window_size_min_p2p_only: number.describe('Least size where all connections are direct.'),
  window_size_max: number.describe('Usual largest size.'),
  window_size_hard_max: number.describe('Size that is never passed.'),
  window_size_reconnect_scale: number.describe('Factor on the size while connecting again.'),
  keep_healthiest_count: number.describe('How many of the healthiest are kept.'),
  ulimit: number.describe('Limit on open connections.'),
}));

const performanceProfile = object(() => ({
  window_type: text.describe('What the window is good for, such as quality.'),
  window_size_settings: maybe(windowSizeSettings).describe('Size of the window of providers.'),
}));

const initialDeviceState = object(() => ({
  country_code: maybe(z.string().length(2)).describe('Country, two letters (ISO 3166).'),
  location: maybe(location).describe('Where to connect to.'),
  performance_profile: maybe(performanceProfile).describe('How connections are held.'),
}));

const ipAddress = z.union([z.ipv4(), z.ipv6()], 'an IP address is expected');
const proxyConfig = object(() => ({
  lock_caller_ip: flag.describe(
    'True to let only the address use the proxy that the service sees the caller at.',
  ),
  lock_ip_list: maybe(z.array(ipAddress)).describe('Addresses that alone may use the proxy.'),
  https_require_auth: flag.describe('True to have the HTTPS proxy ask for a token.'),
  enable_wg: flag.describe('True to be issued a WireGuard tunnel.'),
  initial_device_state: maybe(initialDeviceState).describe('What the device is to start with.'),
}));

/** How a device becomes a client and stays one (service-interface, "Endpoints"). */
export const authClientOperations = {
  authClient: {
    ...making,
    summary:
      'Registers a device as a client, or authenticates a client again; issues its proxy and tunnel.',
    path: '/network/auth-client',
    authentication: 'any-jwt',
    request: object(() => ({
      client_id: text.describe('The client to authenticate again; absent to register a new one.'),
      source_client_id: text.describe('The client that this one is derived from.'),
      derived_client_id: text.describe('The client derived from `source_client_id`.'),
      description: text.describe("The owner's name for the device."),
      device_spec: text.describe('What the device is: hardware, software.'),
      proxy_config: maybe(proxyConfig).describe('Which proxy is wanted.'),
    })),
    /**
     * Only production answers have `client_id`; documented ones carry it as a claim of
     * `by_client_jwt`.
     */
    response: answerOr(clientFailure, () => ({
      by_client_jwt: secret.describe("The client's own token (JWT)."),
      client_id: text.describe('A client.'),
      proxy_config_result: maybe(proxyConfigResult).describe('The proxy that was issued.'),
    })),
    /** The client counts; a tunnel that came in another form did not come. */
    spare: ['proxy_config_result', 'error'],
    judgedBy: 'caller',
  },
} as const satisfies Record<string, Operation>;

/** A service that runs on the client. */
export const resident = object(() => ({
  client_id: text.describe('A client.'),
  instance_id: text.describe('Instance that it runs in.'),
  resident_id: text.describe('The resident.'),
  resident_host: text.describe('Host that it runs on.'),
  resident_service: text.describe('Service that it runs.'),
  resident_block: text.describe('Block of the service.'),
  resident_internal_ports: list(z.number().meta({ type: 'integer' })).describe(
    'Ports that it listens on inside.',
  ),
}));

/** A client's connection to the service, present or past. */
export const connection = object(() => ({
  client_id: text.describe('A client.'),
  connection_id: text.describe('The connection.'),
  connect_time: text.describe('When it was established.'),
  disconnect_time: text.describe('When it ended; absent while it lasts.'),
  connection_host: text.describe("Host of the service's side."),
  connection_service: text.describe('Service that the client is connected to.'),
  connection_block: text.describe('Block of the service.'),
}));

export const client = object(() => ({
  client_id: text.describe('A client.'),
  source_client_id: text.describe('The client that this one is derived from.'),
  device_id: text.describe('The hardware.'),
  network_id: text.describe('Network that it belongs to.'),
  description: text.describe("The owner's name for the device."),
  device_name: text.describe('Name of the device.'),
  device_spec: text.describe('What the device is: hardware, software.'),
  create_time: text.describe('When it was created.'),
  auth_time: text.describe('When the client last authenticated; absent where it never did.'),
  provide_mode: integer.describe('Provide mode, as a number of the profile in use.'),
  proxy_client: maybe(proxyClient).describe("The client's proxy, as it was issued."),
  resident: maybe(resident).describe('There while the client runs a resident service.'),
  connections: list(connection).describe('Connections, present and recent.'),
}));

/** Each of the three lists has one number for a bucket, oldest first. */
export const reliabilityWindow = object(() => ({
  mean_reliability_weight: number.describe('Mean of the weights over the network.'),
  min_time_unix_milli: integer.describe('Where the window begins, Unix time in ms.'),
  max_time_unix_milli: integer.describe('Where the window ends, Unix time in ms.'),
  min_bucket_number: integer.describe('Number of the first bucket.'),
  max_bucket_number: integer.describe('Number of the last bucket.'),
  bucket_duration_seconds: number.describe('Length of a bucket, in seconds.'),
  max_client_count: integer.describe('Most clients active in one bucket.'),
  max_total_client_count: integer.describe('Most clients registered in one bucket.'),
  reliability_weights: list(z.number()).describe('One weight a bucket.'),
  client_counts: list(z.number()).describe('Clients active, one number a bucket.'),
  total_client_counts: list(z.number()).describe('Clients registered, one number a bucket.'),
  country_multipliers: list(countryMultiplier).describe('What the weights count, by country.'),
}));

const countryMultiplier = object(() => ({
  country_location_id: text.describe('Location of the country.'),
  country: text.describe('Country that it is, or is in.'),
  country_code: text.describe('Country, two letters (ISO 3166).'),
  reliability_multiplier: number.describe('Factor on the weights of clients there.'),
}));

/** The network's devices, and how reliably they provided (service-interface, "Endpoints"). */
export const clientsOperations = {
  clients: {
    ...reading,
    summary: "Lists the network's clients.",
    path: '/network/clients',
    authentication: 'any-jwt',
    response: answer(() => ({ clients: list(client).describe('The clients of the network.') })),
    list: 'clients',
  },
  removeClient: {
    ...making,
    isOutside: true,
    summary: 'Removes a client from the network, for good.',
    path: '/network/remove-client',
    request: object(() => ({ client_id: z.string().describe('The client to remove.') })),
    response: answer(() => ({})),
  },
  reliability: {
    ...reading,
    summary: "Reads how reliably the network's clients were online, by buckets of time.",
    path: '/network/reliability',
    response: answer(() => ({
      reliability_window: maybe(reliabilityWindow).describe(
        'The time looked at, cut into buckets.',
      ),
    })),
  },
} as const satisfies Record<string, Operation>;
