import type { Exec } from './exec.ts';

/** One peer as the kernel (or wireguard-go) has it; keys are public ones. */
export type WireGuardPeer = Readonly<ReturnType<typeof parsePeer>>;

/** What a peer did so far. */
export type WireGuardTraffic = Pick<WireGuardPeer, 'publicKey' | 'lastHandshakeAt' | 'rxBytes' | 'txBytes'>;

export type WireGuardInterface = Readonly<Awaited<ReturnType<typeof observeWireGuard>>>;

/** All in one question. What `wg` says of secret keys goes no further than this. @throws command-failed, missing-program */
export async function observeWireGuard(exec: Exec, name: string) {
  const text = await exec({ program: 'wg', args: ['show', name, 'dump'], doing: `reading ${name}` });
  const [own = '', ...peers] = text.split('\n').filter((line) => line !== '');
  const [, publicKey] = own.split('\t');
  return { publicKey: noneToUndefined(publicKey), peers: peers.map(parsePeer) as readonly WireGuardPeer[] };
}

function parsePeer(line: string) {
  const [publicKey = '', , endpoint, allowedIps = '', handshake, rxBytes, txBytes, keepalive] = line.split('\t');
  return {
    publicKey,
    endpoint: noneToUndefined(endpoint),
    allowedIps: (noneToUndefined(allowedIps)?.split(',') ?? []) as readonly string[],
    /** Unix seconds; undefined before the first. */
    lastHandshakeAt: Number(handshake) || undefined,
    rxBytes: Number(rxBytes),
    txBytes: Number(txBytes),
    /** undefined where it is off. */
    persistentKeepaliveSeconds: Number(keepalive) || undefined,
  };
}

function noneToUndefined(value: string | undefined): string | undefined {
  return value === '(none)' ? undefined : value;
}
