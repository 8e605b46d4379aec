import type { Packet } from './packet-data.ts';
import type { Point } from './world.ts';

/**
 * Where a row's packets come from: a consumer, a server that works with one, a neighbour at home.
 * `uplink`: any sender, where no router is between the device and the Internet. `second`: a machine
 * of another network of the device's. `device`: what the agent's own namespace sends itself.
 */
type From = 'tunnel' | 'internet' | 'lan' | 'uplink' | 'second' | 'device';

/** One turn: packets from one place. */
export interface Step {
  readonly from: From;
  readonly packets: readonly Packet[];
  readonly waitMs?: number;
}

/** A connection of a consumer's that is open, as the kernel remembers it. */
export interface OpenConnection {
  /** `udp`, `tcp`, or the number of a protocol without ports. */
  readonly protocol: 'udp' | 'tcp' | number;
  readonly source: string;
  readonly far: string;
  /** None where the protocol has none. */
  readonly ports?: { readonly source: number; readonly far: number };
}

/** One thing that is tried, and where it may not be seen. */
export interface Row {
  readonly name: string;
  readonly family: 4 | 6;
  /** The promise that it holds the device to. */
  readonly why: string;
  /** Packets in turn, each turn from one place; what is heard is of the last. */
  readonly steps: readonly Step[];
  /** Open before the steps, although the rules refuse it: as if they had changed since. */
  readonly open?: OpenConnection;
  /** Places where none of it may be seen. */
  readonly never: readonly Point[];
  /** What it is known by beside its mark, in hexadecimal: an answer carries no mark. */
  readonly marks?: readonly string[];
  /** It also holds where the agent's own table is gone: the second layer keeps it out. */
  readonly isHeldTwice?: boolean;
  /**
   * What the kernel refuses without any rule of ours, and why: taking rules out lets nothing
   * through.
   */
  readonly keptByKernel?: string;
  /**
   * What never meets a rule where consumers come by the network's own protocol, because the engine
   * drops or changes it, or no way leads to it; and why.
   */
  readonly keptByEngine?: string;
}

/** Anywhere but in the tunnel. */
const anywhere: readonly Point[] = ['nas', 'router', 'internet', 'device', 'host'];

type Rest = Partial<Omit<Row, 'name' | 'family'>> & Pick<Row, 'why'>;

/** A row of packets from the tunnel that may be seen nowhere; its family is the packet's own. */
export function refused(name: string, packets: readonly Packet[], rest: Rest): Row {
  const family = packets[0]?.[0]?.[0] === 'IPv6' ? 6 : 4;
  return { name, family, steps: [{ from: 'tunnel', packets }], never: anywhere, ...rest };
}

/**
 * The address in hexadecimal as a packet carries it, for a row whose packets are recognized by an
 * address.
 */
export function toMark(address: string): string {
  if (!address.includes(':')) {
    return address
      .split('.')
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('');
  }
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [first, last] = [groups(head), groups(tail)];
  const zeros =
    tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join('');
}
