import type { OperationResponse } from '../service/operations.ts';
import type { IssuedTunnel } from './registration-files.ts';

type ProxyClient = Partial<
  Pick<NonNullable<OperationResponse<'clients'>['clients'][number]['proxyClient']>, 'proxyHost' | 'wgConfig'>
>;

/**
 * The tunnel in an answer of auth-client (`proxy_config_result`) or in a row of clients (`proxy_client`); undefined where
 * there is none, as for a plan that does not include it (production-profile, "auth-client").
 */
export function toIssuedTunnel({ proxyHost, wgConfig: issued }: ProxyClient = {}): IssuedTunnel | undefined {
  if (issued?.config === undefined) return undefined;
  return {
    text: issued.config,
    proxyHost: proxyHost === '' ? undefined : proxyHost,
    proxyPort: issued.wgProxyPort,
    proxyPublicKey: issued.proxyPublicKey,
    privateKey: issued.clientPrivateKey,
    publicKey: issued.clientPublicKey,
    address: issued.clientIpv4,
  };
}
