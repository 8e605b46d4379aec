import { isIPv6 } from 'node:net';
import type { WireResponse } from '../service/operations.ts';
import type { ServedProfile } from './profile.ts';
import type { IssuedProxy, Tunnel } from './proxies.ts';

/** The end that issued tunnels lead to. */
export interface ProxyEndpoint {
  readonly host: string;
  /** UDP. */
  readonly port: number;
  readonly publicKey: string;
}

type WireProxy = NonNullable<WireResponse<'authClient'>['proxy_config_result']>;

/** ProxyConfigResult of an auth-client answer and, without its keepalive, ProxyClient of a Client (service-interface). */
export function toWireProxy(profile: ServedProfile, endpoint: ProxyEndpoint, proxy: IssuedProxy): WireProxy {
  const { authToken, instanceId, tunnel } = proxy;
  return {
    ...(profile.emptyIsNull ? { http_proxy_url: '', https_proxy_url: '', socks_proxy_url: '' } : {}),
    auth_token: authToken?.reveal(),
    instance_id: instanceId,
    proxy_host: endpoint.host,
    wg_config: tunnel === undefined ? null : toWireTunnel(profile, endpoint, tunnel),
  };
}

/** The text of a tunnel as production issues it: LF, no newline at the end, IPv4 only (production-profile). */
export function renderTunnel(endpoint: ProxyEndpoint, tunnel: Tunnel): string {
  const host = isIPv6(endpoint.host) ? `[${endpoint.host}]` : endpoint.host;
  return [
    '[Interface]',
    `PrivateKey = ${tunnel.privateKey.reveal()}`,
    `Address = ${tunnel.address}/32`,
    'DNS = 1.1.1.1',
    '',
    '[Peer]',
    `PublicKey = ${endpoint.publicKey}`,
    `Endpoint = ${host}:${endpoint.port}`,
    'AllowedIPs = 0.0.0.0/0',
    'PersistentKeepalive = 25',
  ].join('\n');
}

function toWireTunnel(profile: ServedProfile, endpoint: ProxyEndpoint, tunnel: Tunnel): WireProxy['wg_config'] {
  return {
    wg_proxy_port: endpoint.port,
    client_private_key: tunnel.privateKey.reveal(),
    client_public_key: tunnel.publicKey,
    client_ipv4: profile.addressForm === 'bare' ? tunnel.address : `${tunnel.address}/32`,
    proxy_public_key: endpoint.publicKey,
    config: renderTunnel(endpoint, tunnel),
  };
}
