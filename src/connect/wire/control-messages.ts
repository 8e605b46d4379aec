import { Encoder } from './encoder.ts';
import { noBytes } from './frame.ts';
import type { Id } from './id.ts';
import { Scanner } from './scanner.ts';
import { WireError } from './wire-error.ts';

/** The secret by which the platform signs contracts of one mode. */
export interface ProvideKey {
  readonly mode: number;
  readonly secret: Buffer;
}

/** The whole set of modes that a provider is there for: it replaces the set before it. */
export function encodeProvide(keys: readonly ProvideKey[]): Buffer {
  const encoder = new Encoder();
  for (const key of keys.toReversed()) {
    const end = encoder.mark();
    encoder.bytes(2, key.secret);
    encoder.integer(1, key.mode);
    encoder.wrap(1, end);
  }
  return encoder.finish();
}

/** @throws WireError */
export function decodeProvide(bytes: Buffer): readonly ProvideKey[] {
  const keys: ProvideKey[] = [];
  const scanner = new Scanner(bytes);
  while (scanner.next()) if (scanner.field === 1) keys.push(scanProvideKey(scanner.inner()));
  return keys;
}

/** The platform asks to come back by another socket at this time, in Unix ms of its clock. */
export function decodeResidentMigrate(bytes: Buffer): number {
  let migrateAt = 0;
  const scanner = new Scanner(bytes);
  while (scanner.next()) if (scanner.field === 1) migrateAt = scanner.integer();
  return migrateAt;
}

export function encodeResidentMigrate(migrateAt: number): Buffer {
  const encoder = new Encoder();
  encoder.integer(1, migrateAt);
  return encoder.finish();
}

/** A client of our own network, as the platform tells us. */
export interface NetworkPeer {
  readonly clientId: Id;
  readonly provideModes: readonly number[];
  readonly deviceName: string;
  /** When it went away, in Unix ms; undefined while it is there. */
  readonly disconnectedAt: number | undefined;
}

/** @throws WireError */
export function decodeNetworkPeers(bytes: Buffer): readonly NetworkPeer[] {
  const peers: NetworkPeer[] = [];
  const scanner = new Scanner(bytes);
  while (scanner.next()) if (scanner.field === 1) peers.push(scanPeer(scanner.inner()));
  return peers;
}

export function encodeNetworkPeers(peers: readonly NetworkPeer[]): Buffer {
  const encoder = new Encoder();
  for (const peer of peers.toReversed()) {
    const end = encoder.mark();
    encoder.integer(7, peer.disconnectedAt);
    encoder.text(5, peer.deviceName);
    encoder.integers(2, peer.provideModes);
    encoder.id(1, peer.clientId);
    encoder.wrap(1, end);
  }
  return encoder.finish();
}

function scanProvideKey(scanner: Scanner): ProvideKey {
  const found = { mode: 0, secret: noBytes };
  while (scanner.next()) {
    if (scanner.field === 1) found.mode = scanner.integer();
    else if (scanner.field === 2) found.secret = scanner.bytes();
  }
  return found;
}

function scanPeer(scanner: Scanner): NetworkPeer {
  const found = {
    clientId: undefined as Id | undefined,
    provideModes: [] as number[],
    deviceName: '',
    disconnectedAt: undefined as number | undefined,
  };
  while (scanner.next()) {
    if (scanner.field === 1) found.clientId = scanner.id();
    else if (scanner.field === 2) found.provideModes.push(...scanner.integers());
    else if (scanner.field === 5) found.deviceName = scanner.text();
    else if (scanner.field === 7) found.disconnectedAt = scanner.integer();
  }
  if (found.clientId === undefined) throw new WireError('a peer without its id');
  return { ...found, clientId: found.clientId };
}
