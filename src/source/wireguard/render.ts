import type { Secret } from '../../lib/secret.ts';
import type { WireGuardSettings } from './state.ts';

/**
 * The configuration that `wg setconf` and `wg syncconf` read. It contains the private key, unless
 * `show` hides it.
 */
export function renderWireGuard(
  { spec, endpoint, persistentKeepaliveSeconds }: WireGuardSettings,
  show: (secret: Secret) => string = (secret) => secret.reveal(),
): string {
  const lines = [
    '[Interface]',
    `PrivateKey = ${show(spec.privateKey)}`,
    '',
    '[Peer]',
    `PublicKey = ${spec.peer.publicKey}`,
    ...(spec.peer.presharedKey === undefined
      ? []
      : [`PresharedKey = ${show(spec.peer.presharedKey)}`]),
    `Endpoint = ${endpoint}`,
    `AllowedIPs = ${spec.peer.allowedIps.join(', ')}`,
    `PersistentKeepalive = ${persistentKeepaliveSeconds}`,
  ];
  return `${lines.join('\n')}\n`;
}
