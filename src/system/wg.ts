import { createConnection } from 'node:net';
import { Secret } from '../lib/secret.ts';
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

const patienceMs = 2_000;

/**
 * What `wg` would say of a tunnel, asked of wireguard-go itself, so that no program is started; undefined where its socket
 * gives no whole answer. The private key goes no further than into `toPublicKey`.
 */
export async function observeWireGuardGo(
  path: string,
  toPublicKey: (privateKey: Secret) => string,
): Promise<WireGuardInterface | undefined> {
  const text = await ask(path);
  if (!/(?:^|\n)errno=0\n\n$/.test(text)) return undefined;
  const [own = '', ...peers] = text.split(/^(?=public_key=)/m);
  const privateKey = readAll(own, 'private_key')[0];
  return {
    publicKey: privateKey === undefined ? undefined : toPublicKey(new Secret(toBase64(privateKey))),
    peers: peers.map((peer) => ({
      publicKey: toBase64(readAll(peer, 'public_key')[0] ?? ''),
      endpoint: readAll(peer, 'endpoint')[0],
      allowedIps: readAll(peer, 'allowed_ip'),
      lastHandshakeAt: Number(readAll(peer, 'last_handshake_time_sec')[0]) || undefined,
      rxBytes: Number(readAll(peer, 'rx_bytes')[0]),
      txBytes: Number(readAll(peer, 'tx_bytes')[0]),
      persistentKeepaliveSeconds: Number(readAll(peer, 'persistent_keepalive_interval')[0]) || undefined,
    })),
  };
}

/** All that was said until the end, or until it took too long. */
async function ask(path: string): Promise<string> {
  let text = '';
  const socket = createConnection(path, () => socket.write('get=1\n\n'));
  const timer = setTimeout(() => socket.destroy(), patienceMs);
  try {
    for await (const part of socket.setEncoding('utf8')) {
      text += part;
      if (text.endsWith('\n\n')) break;
    }
  } catch {
    // Without a socket, and where nobody listens at it, nothing is said.
  } finally {
    clearTimeout(timer);
  }
  return text;
}

function readAll(lines: string, key: string): readonly string[] {
  return [...lines.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

function toBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}
