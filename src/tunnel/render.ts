import type { WireGuardSettings } from './state.ts';

/** The configuration as `wg setconf` and `wg syncconf` read it; it holds the private key. */
export function renderWireGuard({ spec, endpoint, persistentKeepaliveSeconds }: WireGuardSettings): string {
  const lines = [
    '[Interface]',
    `PrivateKey = ${spec.privateKey.reveal()}`,
    '',
    '[Peer]',
    `PublicKey = ${spec.peer.publicKey}`,
    ...(spec.peer.presharedKey === undefined ? [] : [`PresharedKey = ${spec.peer.presharedKey.reveal()}`]),
    `Endpoint = ${endpoint}`,
    `AllowedIPs = ${spec.peer.allowedIps.join(', ')}`,
    `PersistentKeepalive = ${persistentKeepaliveSeconds}`,
  ];
  return `${lines.join('\n')}\n`;
}
