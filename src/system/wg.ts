import type { Exec } from './exec.ts';

/** One peer as the kernel (or wireguard-go) has it; keys are public ones. */
export interface WireGuardPeer {
  readonly publicKey: string;
  readonly endpoint: string | undefined;
  readonly allowedIps: readonly string[];
  /** Seconds; undefined where it is off. */
  readonly persistentKeepaliveSeconds: number | undefined;
}

export interface WireGuardInterface {
  readonly publicKey: string | undefined;
  readonly peers: readonly WireGuardPeer[];
}

/** What a peer did so far. `lastHandshakeAt` is in Unix seconds, undefined before the first. */
export type WireGuardTraffic = Awaited<ReturnType<typeof observeWireGuardTraffic>>[number];

/** Asked piece by piece: `wg show dump` would print the private key. @throws command-failed, missing-program */
export async function observeWireGuard(exec: Exec, name: string): Promise<WireGuardInterface> {
  const [publicKey, endpoints, allowedIps, keepalives] = await Promise.all([
    show(exec, name, 'public-key'),
    show(exec, name, 'endpoints'),
    show(exec, name, 'allowed-ips'),
    show(exec, name, 'persistent-keepalive'),
  ]);
  const endpointOf = toValues(endpoints);
  const keepaliveOf = toValues(keepalives);
  return {
    publicKey: noneToUndefined(publicKey[0]?.[0]),
    peers: allowedIps.map(([key = '', ips = '']) => ({
      publicKey: key,
      endpoint: noneToUndefined(endpointOf.get(key)),
      allowedIps: ips.split(' ').filter((ip) => ip !== '' && ip !== '(none)'),
      persistentKeepaliveSeconds: Number(keepaliveOf.get(key)) || undefined,
    })),
  };
}

/** Handshakes and byte counters of every peer. @throws command-failed, missing-program */
export async function observeWireGuardTraffic(exec: Exec, name: string) {
  const [handshakes, transfers] = await Promise.all([
    show(exec, name, 'latest-handshakes'),
    show(exec, name, 'transfer'),
  ]);
  const handshakeOf = toValues(handshakes);
  return transfers.map(([key = '', rx, tx]) => ({
    publicKey: key,
    lastHandshakeAt: Number(handshakeOf.get(key)) || undefined,
    rxBytes: Number(rx),
    txBytes: Number(tx),
  }));
}

async function show(exec: Exec, name: string, what: string): Promise<readonly string[][]> {
  const text = await exec({ program: 'wg', args: ['show', name, what], doing: `reading ${what} of ${name}` });
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]));
}

function toValues(rows: readonly string[][]): ReadonlyMap<string | undefined, string | undefined> {
  return new Map(rows.map(([key, value]) => [key, value]));
}

function noneToUndefined(value: string | undefined): string | undefined {
  return value === '(none)' ? undefined : value;
}
