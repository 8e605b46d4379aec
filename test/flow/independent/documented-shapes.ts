/**
 * The interface as its document has it, written a second time: nothing of `src` is used here. A
 * field's type is a word, a list is `[its element]`, a map is
 * `{ '<what its keys are>': its values }`. Every field may be absent or null.
 */

/** The format of a UDID is not documented. */
export const udid = 'string';
/** Every failure says this. */
export const failure = { message: 'string' } as const;

const wgConfig = {
  wg_proxy_port: 'integer',
  client_private_key: 'string',
  client_public_key: 'string',
  client_ipv4: 'string',
  proxy_public_key: 'string',
  config: 'string',
} as const;

/** ProxyClient. */
export const proxyClient = {
  http_proxy_url: 'string',
  https_proxy_url: 'string',
  socks_proxy_url: 'string',
  auth_token: 'string',
  instance_id: 'string',
  proxy_host: 'string',
  socks_proxy_port: 'integer',
  http_proxy_port: 'integer',
  https_proxy_port: 'integer',
  wg_config: wgConfig,
} as const;

/** Client. */
export const client = {
  client_id: udid,
  source_client_id: udid,
  device_id: udid,
  network_id: udid,
  description: 'string',
  device_name: 'string',
  device_spec: 'string',
  create_time: 'string',
  auth_time: 'string',
  provide_mode: 'integer',
  proxy_client: proxyClient,
  resident: {
    client_id: udid,
    instance_id: udid,
    resident_id: udid,
    resident_host: 'string',
    resident_service: 'string',
    resident_block: 'string',
    resident_internal_ports: ['integer'],
  },
  connections: [
    {
      client_id: udid,
      connection_id: udid,
      connect_time: 'string',
      disconnect_time: 'string',
      connection_host: 'string',
      connection_service: 'string',
      connection_block: 'string',
    },
  ],
} as const;

/** ProviderSpec. */
export const providerSpec = {
  location_id: udid,
  location_group_id: udid,
  client_id: udid,
  best_available: 'boolean',
} as const;

/** Location. */
export const location = {
  location_id: 'string',
  location_type: 'country|region|city',
  name: 'string',
  city: 'string',
  city_location_id: 'string',
  region: 'string',
  region_location_id: 'string',
  country: 'string',
  country_location_id: 'string',
  country_code: 'string',
  provider_count: 'integer',
  match_distance: 'number',
} as const;

/** Location group. */
export const locationGroup = {
  location_group_id: 'string',
  name: 'string',
  provider_count: 'integer',
  promoted: 'boolean',
  match_distance: 'number',
} as const;

/** Shared device. */
export const sharedDevice = {
  pending: 'boolean',
  code: 'string',
  device_name: 'string',
  client_id: udid,
  network_name: 'string',
} as const;

/**
 * Of the day's element, what the document has returned for other windows; who it is and whether it
 * is there go without saying.
 */
export const providerOfWindow = {
  client_id: 'string',
  connected: 'boolean',
  connected_events_last_24h: [{ event_time: 'time', connected: 'boolean' }],
  uptime_last_24h: 'number',
  transfer_data_last_24h: 'number',
  payout_last_24h: 'number',
  provide_mode: 'integer',
} as const;

/** Element of the statistics of a day. */
export const providerOfDay = {
  ...providerOfWindow,
  search_interest_last_24h: 'number',
  contracts_last_24h: 'number',
  clients_last_24h: 'number',
} as const;

const byDate = { '<yyyy-mm-dd>': 'number' } as const;
/** ProviderStats. */
export const providerStats = {
  lookback: 'number',
  created_time: 'time',
  uptime: { '<yyyy-mm-dd-hh>': 'number' },
  transfer_data: byDate,
  payout: byDate,
  search_interest: byDate,
  contracts: byDate,
  clients: byDate,
  client_details: [{ client_id: 'string', transfer_data: byDate }],
} as const;

const byAnything = { '<any>': 'number' } as const;
/** ProviderStats of ninety days, whose keys are not documented. */
export const providerStatsOf90Days = {
  ...providerStats,
  uptime: byAnything,
  transfer_data: byAnything,
  payout: byAnything,
  search_interest: byAnything,
  contracts: byAnything,
  clients: byAnything,
  client_details: [{ client_id: 'string', transfer_data: byAnything }],
} as const;

/** Reliability window. */
export const reliabilityWindow = {
  mean_reliability_weight: 'number',
  min_time_unix_milli: 'number',
  max_time_unix_milli: 'number',
  min_bucket_number: 'number',
  max_bucket_number: 'number',
  bucket_duration_seconds: 'number',
  max_client_count: 'number',
  max_total_client_count: 'number',
  reliability_weights: ['number'],
  client_counts: ['number'],
  total_client_counts: ['number'],
  country_multipliers: [
    {
      country_location_id: 'string',
      country: 'string',
      country_code: 'string',
      reliability_multiplier: 'number',
    },
  ],
} as const;

/** Wallet. */
export const wallet = {
  wallet_id: 'string',
  managed_wallet_id: 'string',
  network_id: 'string',
  wallet_type: 'managed|external',
  blockchain: 'SOL|MATIC',
  wallet_address: 'string',
  active: 'boolean',
  default_token_type: 'string',
  create_time: 'time',
} as const;
