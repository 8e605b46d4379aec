import * as z from 'zod';
import { answer, maybe, number, object, secret, text } from '../fields.ts';
import { making, type Operation } from '../operation.ts';

export const wgConfig = object(() => ({
  wg_proxy_port: number.describe("UDP port of the tunnel's other end."),
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
  socks_proxy_port: number.describe('Port of the SOCKS proxy.'),
  http_proxy_port: number.describe('Port of the HTTP proxy.'),
  https_proxy_port: number.describe('Port of the HTTPS proxy.'),
  wg_config: maybe(wgConfig).describe('The WireGuard tunnel; null where none was issued.'),
});
/** A client's proxy in the list of clients. */
export const proxyClient = object(listProxyFields);
/** The same as auth-client answers it. */
export const proxyConfigResult = object(() => ({
  keepalive_seconds: number.describe('Seconds between two signs of life; 0 where the service leaves it to the device.'),
  ...listProxyFields(),
}));

const location = object(() => ({
  connect_location_id: z
    .object({
      client_id: z.string().optional().describe('A client.'),
      location_id: z.string().optional().describe('A country, region or city.'),
      location_group_id: z.string().optional().describe('A group of locations.'),
      best_available: z.boolean().optional().describe('True for the best that there is.'),
    })
    .optional()
    .describe('The place, as one or several of these.'),
  name: z.string().optional().describe('Name of the place.'),
  location_type: z.string().optional().describe('`country`, `region` or `city`.'),
}));

const windowSizeSettings = object(() => ({
  window_size_min: z.number().optional().describe('Least size.'),
  window_size_min_p2p_only: z.number().optional().describe('Least size where all connections are direct.'),
  window_size_max: z.number().optional().describe('Usual largest size.'),
  window_size_hard_max: z.number().optional().describe('Size that is never passed.'),
  window_size_reconnect_scale: z.number().optional().describe('Factor on the size while connecting again.'),
  keep_healthiest_count: z.number().optional().describe('How many of the healthiest are kept.'),
  ulimit: z.number().optional().describe('Limit on open connections.'),
}));

const performanceProfile = object(() => ({
  window_type: z.string().optional().describe('What the window is good for, such as quality.'),
  window_size_settings: windowSizeSettings.optional().describe('Size of the window of providers.'),
}));

const initialDeviceState = object(() => ({
  country_code: z.string().length(2).optional().describe('Country, two letters (ISO 3166).'),
  location: location.optional().describe('Where to connect to.'),
  performance_profile: performanceProfile.optional().describe('How connections are held.'),
}));

const proxyConfig = object(() => ({
  lock_caller_ip: z
    .boolean()
    .optional()
    .describe('True to let only the address use the proxy that the service sees the caller at.'),
  lock_ip_list: z.array(z.string()).optional().describe('Addresses that alone may use the proxy.'),
  https_require_auth: z.boolean().optional().describe('True to have the HTTPS proxy ask for a token.'),
  enable_wg: z.boolean().optional().describe('True to be issued a WireGuard tunnel.'),
  initial_device_state: initialDeviceState.optional().describe('What the device is to start with.'),
}));

/** How a device becomes a client and stays one (service-interface, "Endpoints"). */
export const authClientOperations = {
  authClient: {
    ...making,
    summary: 'Registers a device as a client, or authenticates a client again; issues its proxy and tunnel.',
    path: '/network/auth-client',
    request: object(() => ({
      client_id: z.string().optional().describe('The client to authenticate again; absent to register a new one.'),
      source_client_id: z.string().optional().describe('The client that this one is derived from.'),
      derived_client_id: z.string().optional().describe('The client derived from `source_client_id`.'),
      description: z.string().optional().describe("The owner's name for the device."),
      device_spec: z.string().optional().describe('What the device is: hardware, software.'),
      proxy_config: proxyConfig.optional().describe('Which proxy is wanted.'),
    })),
    /** `client_id` is in production answers only; documented ones carry it as a claim of `by_client_jwt`. */
    response: answer(() => ({
      by_client_jwt: secret.describe("The client's own token (JWT)."),
      client_id: text.describe('A client.'),
      proxy_config_result: maybe(proxyConfigResult).describe('The proxy that was issued.'),
    })),
    judgedBy: 'caller',
  },
} as const satisfies Record<string, Operation>;
