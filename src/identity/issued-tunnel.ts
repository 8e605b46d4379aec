import type { OperationResponse } from '../service/operations.ts';
import type { IssuedTunnel } from '../tunnel/issued.ts';

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

/** True where both are the same tunnel, field by field. */
export function isSameTunnel(one: IssuedTunnel | undefined, other: IssuedTunnel | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.text.equals(other.text) &&
    one.proxyHost === other.proxyHost &&
    one.proxyPort === other.proxyPort &&
    one.proxyPublicKey === other.proxyPublicKey &&
    (one.privateKey?.equals(other.privateKey) ?? other.privateKey === undefined) &&
    one.publicKey === other.publicKey &&
    one.address === other.address
  );
}
