import { isIPv6 } from 'node:net';
import type { WireResponse } from '../service/operations.ts';
import type { ProxyEndpoint } from './backend.ts';
import type { ServedProfile } from './profile.ts';
import type { IssuedProxy, Tunnel } from './proxies.ts';

type WireProxy = NonNullable<WireResponse<'authClient'>['proxy_config_result']>;

/**
 * The ProxyConfigResult of an auth-client answer. Without its keepalive it is the ProxyClient of a
 * Client (service-interface).
 */
export function toWireProxy(
  profile: ServedProfile,
  endpoint: ProxyEndpoint,
  proxy: IssuedProxy,
): WireProxy {
  const { authToken, instanceId, hasUrls, tunnel } = proxy;
  const withoutUrls = profile.emptyIsNull
    ? { http_proxy_url: '', https_proxy_url: '', socks_proxy_url: '' }
    : {};
  return {
    ...((hasUrls && listUrls(endpoint)) || withoutUrls),
    auth_token: authToken?.reveal(),
    instance_id: instanceId,
    proxy_host: endpoint.host,
    wg_config:
      tunnel === undefined
        ? null
        : {
            wg_proxy_port: endpoint.port,
            client_private_key: tunnel.privateKey.reveal(),
            client_public_key: tunnel.publicKey,
            client_ipv4: profile.addressForm === 'bare' ? tunnel.address : `${tunnel.address}/32`,
            proxy_public_key: endpoint.publicKey,
            config: renderTunnel(endpoint, tunnel),
          },
  };
}

/** One port speaks HTTP, HTTPS and SOCKS, and asks for the token; undefined while none is open. */
function listUrls({ host, findProxyPort }: ProxyEndpoint) {
  const port = findProxyPort();
  if (port === undefined) return undefined;
  const place = `${toUrlHost(host)}:${port}`;
  return {
    http_proxy_port: port,
    https_proxy_port: port,
    socks_proxy_port: port,
    http_proxy_url: `http://${place}`,
    https_proxy_url: `https://${place}`,
    socks_proxy_url: `socks5h://${place}`,
  };
}

const toUrlHost = (host: string) => (isIPv6(host) ? `[${host}]` : host);

/**
 * The text of a tunnel in the form of the production service: LF, no newline at the end, IPv4 only
 * (production-profile).
 */
export function renderTunnel(endpoint: ProxyEndpoint, tunnel: Tunnel): string {
  return [
    '[Interface]',
    `PrivateKey = ${tunnel.privateKey.reveal()}`,
    `Address = ${tunnel.address}/32`,
    'DNS = 1.1.1.1',
    '',
    '[Peer]',
    `PublicKey = ${endpoint.publicKey}`,
    `Endpoint = ${toUrlHost(endpoint.host)}:${endpoint.port}`,
    'AllowedIPs = 0.0.0.0/0',
    'PersistentKeepalive = 25',
  ].join('\n');
}
