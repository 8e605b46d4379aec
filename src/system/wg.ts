import type { Exec } from './exec.ts';

/** One peer as the kernel (or wireguard-go) has it; keys are public ones. */
export interface WireGuardPeer extends WireGuardTraffic {
  readonly endpoint: string | undefined;
  readonly allowedIps: readonly string[];
  /** Seconds; undefined where it is off. */
  readonly persistentKeepaliveSeconds: number | undefined;
}

export interface WireGuardInterface {
  readonly publicKey: string | undefined;
  readonly peers: readonly WireGuardPeer[];
}

/** What a peer did so far. */
export interface WireGuardTraffic {
  readonly publicKey: string;
  /** Unix seconds; undefined before the first. */
  readonly lastHandshakeAt: number | undefined;
  readonly rxBytes: number;
  readonly txBytes: number;
}

/** All in one question. What `wg` says of secret keys goes no further than this. @throws command-failed, missing-program */
export async function observeWireGuard(exec: Exec, name: string): Promise<WireGuardInterface> {
  const text = await exec({ program: 'wg', args: ['show', name, 'dump'], doing: `reading ${name}` });
  const [own = '', ...peers] = text.split('\n').filter((line) => line !== '');
  const [, publicKey] = own.split('\t');
  return { publicKey: noneToUndefined(publicKey), peers: peers.map(parsePeer) };
}

function parsePeer(line: string): WireGuardPeer {
  const [publicKey = '', , endpoint, allowedIps = '', handshake, rxBytes, txBytes, keepalive] = line.split('\t');
  return {
    publicKey,
    endpoint: noneToUndefined(endpoint),
    allowedIps: noneToUndefined(allowedIps)?.split(',') ?? [],
    lastHandshakeAt: Number(handshake) || undefined,
    rxBytes: Number(rxBytes),
    txBytes: Number(txBytes),
    persistentKeepaliveSeconds: Number(keepalive) || undefined,
  };
}

function noneToUndefined(value: string | undefined): string | undefined {
  return value === '(none)' ? undefined : value;
}
