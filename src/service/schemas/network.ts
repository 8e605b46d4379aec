import * as z from 'zod';
import { errorObject, list, maybe, number, secret, text } from './wire.ts';

/** WgConfig: the tunnel as issued. `client_ipv4` comes with a prefix length or bare; `config` is a wg-quick text. */
export const wgConfig = z.object({
  wg_proxy_port: number,
  client_private_key: secret,
  client_public_key: text,
  client_ipv4: text,
  proxy_public_key: text,
  config: secret,
});

/** ProxyClient (inside Client) and, with `keepalive_seconds`, ProxyConfigResult (answer of auth-client). */
const proxyFields = {
  http_proxy_url: text,
  https_proxy_url: text,
  socks_proxy_url: text,
  auth_token: secret,
  instance_id: text,
  proxy_host: text,
  socks_proxy_port: number,
  http_proxy_port: number,
  https_proxy_port: number,
  wg_config: maybe(wgConfig),
};
export const proxyClient = z.object(proxyFields);
export const proxyConfigResult = z.object({ keepalive_seconds: number, ...proxyFields });

/** Resident (inside Client): there while the client runs a resident service. */
export const resident = z.object({
  client_id: text,
  instance_id: text,
  resident_id: text,
  resident_host: text,
  resident_service: text,
  resident_block: text,
  resident_internal_ports: list(z.number()),
});

/** Connection (inside Client), present or past. */
export const connection = z.object({
  client_id: text,
  connection_id: text,
  connect_time: text,
  disconnect_time: text,
  connection_host: text,
  connection_service: text,
  connection_block: text,
});

/** Client: a registered device. `provide_mode` is a number of the profile in use. */
export const client = z.object({
  client_id: text,
  source_client_id: text,
  device_id: text,
  network_id: text,
  description: text,
  device_name: text,
  device_spec: text,
  create_time: text,
  auth_time: text,
  provide_mode: number,
  proxy_client: maybe(proxyClient),
  resident: maybe(resident),
  connections: list(connection),
});

const windowSizeSettings = z.object({
  window_size_min: z.number().optional(),
  window_size_min_p2p_only: z.number().optional(),
  window_size_max: z.number().optional(),
  window_size_hard_max: z.number().optional(),
  window_size_reconnect_scale: z.number().optional(),
  keep_healthiest_count: z.number().optional(),
  ulimit: z.number().optional(),
});

const initialDeviceState = z.object({
  country_code: z.string().length(2).optional(),
  location: z
    .object({
      connect_location_id: z
        .object({
          client_id: z.string().optional(),
          location_id: z.string().optional(),
          location_group_id: z.string().optional(),
          best_available: z.boolean().optional(),
        })
        .optional(),
      name: z.string().optional(),
      location_type: z.string().optional(),
    })
    .optional(),
  performance_profile: z
    .object({ window_type: z.string().optional(), window_size_settings: windowSizeSettings.optional() })
    .optional(),
});

export const authClientRequest = z.object({
  client_id: z.string().optional(),
  source_client_id: z.string().optional(),
  derived_client_id: z.string().optional(),
  description: z.string().optional(),
  device_spec: z.string().optional(),
  proxy_config: z
    .object({
      lock_caller_ip: z.boolean().optional(),
      lock_ip_list: z.array(z.string()).optional(),
      https_require_auth: z.boolean().optional(),
      enable_wg: z.boolean().optional(),
      initial_device_state: initialDeviceState.optional(),
    })
    .optional(),
});

/** `client_id` is in production answers only; documented ones carry it as a claim of `by_client_jwt`. */
export const authClientResponse = z.object({
  by_client_jwt: secret,
  client_id: text,
  proxy_config_result: maybe(proxyConfigResult),
  error: errorObject,
});

export const clientsResponse = z.object({ clients: list(client), error: errorObject });
