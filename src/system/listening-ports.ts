import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { attempt } from '../lib/attempt.ts';
import { readFileIfThere } from './files.ts';

/** A socket of the kernel's list. */
interface ListeningSocket {
  readonly address: string | undefined;
  readonly port: number;
  readonly farPort: number;
  readonly state: string;
}

/** A TCP socket that waits for connections, in the kernel's words. */
const listening = '0A';

/**
 * The ports of this network namespace at which programs wait to be spoken to, over TCP or UDP:
 * sockets that belong to no single far end. Reads `/proc/self/net`, and needs no rights.
 */
export async function observeListeningPorts(): Promise<readonly number[]> {
  const [tcp = [], tcp6 = [], udp = [], udp6 = []] = await Promise.all(
    ['tcp', 'tcp6', 'udp', 'udp6'].map(async (name) =>
      parseSockets((await readFileIfThere(`/proc/self/net/${name}`)) ?? ''),
    ),
  );
  const ports = [
    ...[...tcp, ...tcp6].filter(({ state }) => state === listening),
    ...[...udp, ...udp6].filter(({ farPort }) => farPort === 0),
  ].map(({ port }) => port);
  return [...new Set(ports)].sort((one, other) => one - other);
}

/**
 * How long (ms) the ports are kept while as many sockets are in use. To list sockets the kernel
 * looks through a table that is as large as the machine's memory.
 */
const keptMs = 60_000;

/** What a reader of ports asks; by default the kernel. */
export interface PortsReaderParts {
  readonly observe?: () => Promise<readonly number[]>;
  readonly countSockets?: () => string | undefined;
  /** A clock that never goes back, ms. */
  readonly nowMs?: () => number;
}

/**
 * Reads the ports as `observeListeningPorts` does, but not again within a minute while as many
 * sockets are in use: a program that begins to listen just as another ends is noticed so late.
 */
export function createPortsReader(parts: PortsReaderParts = {}): () => Promise<readonly number[]> {
  const { observe = observeListeningPorts, countSockets = readSocketCounts } = parts;
  const { nowMs = () => performance.now() } = parts;
  let last: { counts: string; atMs: number; ports: readonly number[] } | undefined;
  return async () => {
    const counts = countSockets();
    const atMs = nowMs();
    if (last !== undefined && last.counts === counts && atMs - last.atMs < keptMs)
      return last.ports;
    const ports = await observe();
    last = counts === undefined ? undefined : { counts, atMs, ports };
    return ports;
  };
}

/** How many sockets of TCP and UDP are in use here; undefined where the kernel does not say. */
function readSocketCounts(): string | undefined {
  const read = (name: string) => readFileSync(`/proc/self/net/${name}`, 'utf8');
  const text = attempt(() => read('sockstat') + (attempt(() => read('sockstat6')) ?? ''));
  return text?.match(/^(TCP|UDP)6?: inuse \d+/gm)?.join();
}

/**
 * The addresses of this network namespace at which programs wait to be spoken to at a port over
 * UDP; 0.0.0.0 stands for all of IPv4, also where IPv6's socket takes it. Other addresses of IPv6
 * are left out.
 */
export async function observeListeningAddresses(port: number): Promise<readonly string[]> {
  const texts = await Promise.all(
    ['udp', 'udp6'].map((name) => readFileIfThere(`/proc/self/net/${name}`)),
  );
  const sockets = texts.flatMap((text = '') => parseSockets(text));
  return [
    ...new Set(
      sockets
        .filter((socket) => socket.port === port && socket.farPort === 0)
        .flatMap(({ address }) => address ?? []),
    ),
  ];
}

/** Each line: a number, own address and port, the far end's, and the state, in hexadecimal. */
export function parseSockets(text: string): readonly ListeningSocket[] {
  return text.split('\n').flatMap((line) => {
    const [, address, own, far, state] =
      /^\s*\d+:\s+([\dA-F]+):([\dA-F]{4})\s+[\dA-F]+:([\dA-F]{4})\s+([\dA-F]{2})\s/.exec(line) ??
      [];
    if (address === undefined || own === undefined || far === undefined || state === undefined)
      return [];
    return [
      {
        address: toIpv4(address),
        port: Number.parseInt(own, 16),
        farPort: Number.parseInt(far, 16),
        state,
      },
    ];
  });
}

/**
 * The kernel shows an address as whole numbers in this machine's order of bytes; undefined for one
 * of IPv6 other than all.
 */
function toIpv4(shown: string): string | undefined {
  if (/^0+$/.test(shown)) return '0.0.0.0';
  if (shown.length !== 8) return undefined;
  const bytes = [...Buffer.from(shown, 'hex')];
  return (endianness() === 'LE' ? bytes.reverse() : bytes).join('.');
}
