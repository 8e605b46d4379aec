import type { TunnelSpec } from './spec.ts';

/** The configuration as `wg setconf` and `wg syncconf` read it; it holds the private key. */
export function renderWireGuard(spec: TunnelSpec, endpoint: string, persistentKeepaliveSeconds: number): string {
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
