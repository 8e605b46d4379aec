import {
  client,
  failure,
  location,
  locationGroup,
  providerOfDay,
  providerOfWindow,
  providerSpec,
  providerStats,
  providerStatsOf90Days,
  proxyClient,
  reliabilityWindow,
  sharedDevice,
  udid,
  wallet,
} from './documented-shapes.ts';

/** The token that a request shows, and every field of the answer. */
export const documentedInterface = {
  'POST /network/auth-client': {
    token: 'network',
    answer: {
      by_client_jwt: 'string',
      proxy_config_result: { keepalive_seconds: 'number', ...proxyClient },
      error: { client_limit_exceeded: 'boolean', ...failure },
    },
  },
  'POST /network/find-providers2': {
    token: 'none',
    answer: {
      providers: [
        {
          client_id: 'string',
          estimated_bytes_per_second: 'integer',
          tier: 'integer',
          intermediary_ids: [udid],
        },
      ],
    },
  },
  'POST /network/find-providers': { token: 'network', answer: { client_ids: [udid] } },
  'POST /network/find-locations': {
    token: 'none',
    answer: { specs: [providerSpec], groups: [locationGroup], locations: [location] },
  },
  'GET /network/provider-locations': {
    token: 'none',
    answer: {
      specs: [providerSpec],
      groups: [locationGroup],
      locations: [location],
      devices: [{ client_id: 'string', device_name: 'string' }],
    },
  },
  'POST /network/create-provider-spec': { token: 'network', answer: { specs: [providerSpec] } },
  'GET /network/clients': { token: 'network', answer: { clients: [client] } },
  'GET /network/reliability': {
    token: 'network',
    answer: { reliability_window: reliabilityWindow, error: failure },
  },
  'POST /auth/code-create': {
    token: 'network',
    answer: {
      auth_code: 'string',
      duration_minutes: 'number',
      uses: 'integer',
      error: { auth_code_limit_exceeded: 'boolean', ...failure },
    },
  },
  'POST /auth/code-login': { token: 'none', answer: { by_jwt: 'string', error: failure } },
  'POST /auth/password-set': { token: 'none', answer: {} },
  'POST /auth/upgrade-guest': {
    token: 'guest',
    answer: {
      network: { by_jwt: 'string' },
      verification_required: { user_auth: 'string' },
      error: failure,
    },
  },
  'POST /device/create-share-code': {
    token: 'network',
    answer: { share_code: 'string', error: failure },
  },
  'POST /device/add': {
    token: 'network',
    answer: {
      code_type: 'share|adopt',
      code: 'string',
      device_name: 'string',
      associated_network_name: 'string',
      client_id: 'string',
      duration_minutes: 'number',
      error: failure,
    },
  },
  'GET /device/associations': {
    token: 'network',
    answer: {
      pending_adoption_devices: [
        { code: 'string', device_name: 'string', duration_minutes: 'number' },
      ],
      incoming_shared_devices: [sharedDevice],
      outgoing_shared_devices: [sharedDevice],
    },
  },
  'POST /device/set-provide': {
    token: 'network',
    answer: { provide_mode: 'integer', error: failure },
  },
  'GET /stats/providers': {
    token: 'network',
    answer: { created_time: 'time', providers: [providerOfDay] },
  },
  'POST /stats/providers-last-n': {
    token: 'network',
    answer: { created_time: 'time', providers: [providerOfWindow] },
  },
  'POST /stats/provider-last-n': { token: 'network', answer: providerStats },
  'POST /stats/provider-last-90': { token: 'network', answer: providerStatsOf90Days },
  'POST /stats/leaderboard': {
    token: 'network',
    answer: {
      earners: [
        {
          network_id: 'string',
          network_name: 'string',
          net_mib_count: 'number',
          is_public: 'boolean',
          contains_profanity: 'boolean',
        },
      ],
      error: failure,
    },
  },
  'GET /account/wallets': { token: 'network', answer: { wallets: [wallet] } },
  'POST /account/payout-wallet': { token: 'network', answer: {} },
  'GET /account/payout-wallet': { token: 'network', answer: { wallet_id: 'string' } },
} as const;

/** A method and a path. */
export type DocumentedOperation = keyof typeof documentedInterface;
