import { createConnection } from 'node:net';
import { Secret } from '../lib/secret.ts';
import type { Exec } from './exec.ts';

/** One peer of an interface as the kernel or wireguard-go has it; all keys are public ones. */
export interface WireGuardPeer {
  readonly publicKey: string;
  /** `198.51.100.1:51820`; undefined before the peer was heard of or set. */
  readonly endpoint: string | undefined;
  readonly allowedIps: readonly string[];
  /** Seconds since 1970; undefined before the first handshake. */
  readonly lastHandshakeAt: number | undefined;
  readonly rxBytes: number;
  readonly txBytes: number;
  /** undefined where it is off. */
  readonly persistentKeepaliveSeconds: number | undefined;
}

/** What a peer has sent and received so far, and when it last shook hands. */
export type WireGuardTraffic = Pick<
  WireGuardPeer,
  'publicKey' | 'lastHandshakeAt' | 'rxBytes' | 'txBytes'
>;

/** An interface with its peers; secret keys are no part of it. */
export interface WireGuardInterface {
  /** undefined before the interface was given a key. */
  readonly publicKey: string | undefined;
  readonly peers: readonly WireGuardPeer[];
}

/**
 * Reads an interface and its peers at once. The secret keys that `wg` prints are dropped here.
 * @throws command-failed, missing-program
 */
export async function observeWireGuard(exec: Exec, name: string): Promise<WireGuardInterface> {
  const text = await exec({
    program: 'wg',
    args: ['show', name, 'dump'],
    doing: `reading ${name}`,
  });
  const rows = text
    .split('\n')
    .map((line) => line.split('\t').map((part) => (part === '(none)' ? undefined : part)));
  const [[, publicKey] = [], ...peers] = rows.filter((row) => row.length > 1);
  return { publicKey, peers: peers.map(readDumpRow) };
}

/** Reads the columns of a peer's row in `wg show dump`, in their order. */
function readDumpRow(columns: readonly (string | undefined)[]): WireGuardPeer {
  const [publicKey = '', , endpoint, allowedIps, handshake, rxBytes, txBytes, keepalive] = columns;
  return {
    publicKey,
    endpoint,
    allowedIps: allowedIps?.split(',') ?? [],
    // `0` before the first handshake, `off` without a keepalive.
    lastHandshakeAt: Number(handshake) || undefined,
    rxBytes: Number(rxBytes),
    txBytes: Number(txBytes),
    persistentKeepaliveSeconds: Number(keepalive) || undefined,
  };
}

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
    peers: peers.map(readSocketPeer),
  };
}

/** Reads the `key=value` lines of a peer in wireguard-go's answer. */
function readSocketPeer(lines: string): WireGuardPeer {
  const read = (key: string) => readAll(lines, key)[0];
  return {
    publicKey: toBase64(read('public_key') ?? ''),
    endpoint: read('endpoint'),
    allowedIps: readAll(lines, 'allowed_ip'),
    // Both are 0 where there was no handshake and where no keepalive is sent.
    lastHandshakeAt: Number(read('last_handshake_time_sec')) || undefined,
    rxBytes: Number(read('rx_bytes')),
    txBytes: Number(read('tx_bytes')),
    persistentKeepaliveSeconds: Number(read('persistent_keepalive_interval')) || undefined,
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
