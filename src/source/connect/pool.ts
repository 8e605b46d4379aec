import { SocketAddress } from 'node:net';
import { parsePrefix, toGroups, toNetwork } from '../../lib/addresses.ts';
import type { StartMessage } from './protocol.ts';

/** Who gets the addresses of two prefixes: the first to the device, the rest to consumers. */
export interface PoolPlan {
  /** The prefixes, as `ip` prints them. */
  readonly consumers: readonly string[];
  /** The device's own addresses, one of each family. */
  readonly device: readonly string[];
  readonly pool: StartMessage['pool'];
}

/** More than all consumers that an engine takes can use; a search through more takes longer. */
const mostAddresses = 2 ** 20;

/** Pure. The prefixes are valid: the configuration has checked them. */
export function planPool(ipv4: string, ipv6: string): PoolPlan {
  const [four, six] = [planFamily(ipv4), planFamily(ipv6)];
  return {
    consumers: [four.network, six.network],
    device: [four.device, six.device],
    pool: { ipv4: four.pool, ipv6: six.pool },
  };
}

function planFamily(text: string) {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new Error(`no prefix: ${text}`);
  const network = toNetwork(prefix);
  const base = network.split('/')[0] ?? '';
  const bits = (prefix.family === 4 ? 32 : 128) - prefix.length;
  return {
    network,
    device: addTo(base, 1),
    // The network's own address, the device's and the last one, which is a broadcast in IPv4.
    pool: { first: addTo(base, 2), count: Math.min(mostAddresses, 2 ** bits - 3) },
  };
}

/** An address of a network whose last bits are zero: nothing is carried over. */
function addTo(network: string, offset: number): string {
  if (!network.includes(':')) {
    const parts = network.split('.').map(Number);
    return [...parts.slice(0, 3), (parts[3] ?? 0) + offset].join('.');
  }
  const groups = toGroups(network);
  const address = [...groups.slice(0, 7), (groups[7] ?? 0) + offset]
    .map((group) => group.toString(16))
    .join(':');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}
