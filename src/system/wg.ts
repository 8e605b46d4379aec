import { createConnection } from 'node:net';
import { Secret } from '../lib/secret.ts';
import type { Exec } from './exec.ts';

/** One peer of an interface as the kernel or wireguard-go has it; all keys are public ones. */
export type WireGuardPeer = Readonly<ReturnType<typeof toPeer>>;

/** What a peer has sent and received so far, and when it last shook hands. */
export type WireGuardTraffic = Pick<
  WireGuardPeer,
  'publicKey' | 'lastHandshakeAt' | 'rxBytes' | 'txBytes'
>;

export type WireGuardInterface = Readonly<Awaited<ReturnType<typeof observeWireGuard>>>;

/**
 * Reads an interface and its peers at once. The secret keys that `wg` prints are dropped here.
 * @throws command-failed, missing-program
 */
export async function observeWireGuard(exec: Exec, name: string) {
  const text = await exec({
    program: 'wg',
    args: ['show', name, 'dump'],
    doing: `reading ${name}`,
  });
  const rows = text
    .split('\n')
    .map((line) => line.split('\t').map((part) => (part === '(none)' ? undefined : part)));
  const [[, publicKey] = [], ...peers] = rows.filter((row) => row.length > 1);
  return { publicKey, peers: peers.map(toPeer) as readonly WireGuardPeer[] };
}

/** Reads the columns of a peer's row in `wg show dump`, in their order. */
function toPeer(parts: readonly (string | undefined)[]) {
  const [publicKey = '', , endpoint, allowedIps, handshake, rxBytes, txBytes, keepalive] = parts;
  return {
    publicKey,
    endpoint,
    allowedIps: (allowedIps?.split(',') ?? []) as readonly string[],
    /** Seconds since 1970; undefined before the first handshake. */
    lastHandshakeAt: Number(handshake) || undefined,
    rxBytes: Number(rxBytes),
    txBytes: Number(txBytes),
    /** undefined where it is off. */
    persistentKeepaliveSeconds: Number(keepalive) || undefined,
  };
}

/**
 * wireguard-go's names of the columns in `wg show dump`. `none` is in the place of the preshared
 * key, which is not needed.
 */
const dumpOrder =
  'public_key none endpoint allowed_ip last_handshake_time_sec rx_bytes tx_bytes persistent_keepalive_interval';
const patienceMs = 2_000;

/**
 * Asks wireguard-go itself for what `wg` would print, so that no program is started; undefined
 * where its socket gives no whole answer. The private key goes only into `toPublicKey`.
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
    peers: peers.map((peer) => {
      const [key = '', ...more] = dumpOrder
        .split(' ')
        .map((name) => readAll(peer, name).join() || undefined);
      return toPeer([toBase64(key), ...more]);
    }),
  };
}

/** What wireguard-go sends, up to its end or until it takes too long. */
async function ask(path: string): Promise<string> {
  let text = '';
  const signal = AbortSignal.timeout(patienceMs);
  const socket = createConnection({ path, signal }, () => socket.write('get=1\n\n'));
  try {
    for await (const part of socket.setEncoding('utf8')) {
      text += part;
      if (text.endsWith('\n\n')) break;
    }
  } catch {
    // Without a socket, or without wireguard-go behind it, the answer stays empty.
  }
  return text;
}

function readAll(lines: string, key: string): readonly string[] {
  return [...lines.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

function toBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}
