import type { PortRange } from '../lib/ports.ts';
import type { Ceilings } from './ceilings.ts';
import type { Probe } from './self-test.ts';

/**
 * Traffic forwarded since the device was first set up: `up` leaves for the Internet, `down` comes
 * back.
 */
export type ForwardedTotals = Readonly<
  Record<'up' | 'down', { readonly packets: number; readonly bytes: number }>
>;

/** Everything that the ruleset depends on; the same value always renders the same text. */
export interface GatewayPolicy {
  readonly tunnelInterface: string;
  /**
   * The interface that leads to the Internet; undefined without one, and then nothing is forwarded.
   */
  readonly uplink: string | undefined;
  readonly uplinkAddresses: readonly string[];
  /** Bytes; forwarded connections are told to stay below it. */
  readonly tunnelMtu: number;
  /** The tunnel's other end; undefined: none is known. */
  readonly endpoint:
    | { readonly protocol: 'ip' | 'ip6'; readonly address: string; readonly port: number }
    | undefined;
  /** False before the tunnel is made: the chain at its entrance can only be there with it. */
  readonly isTunnelThere: boolean;
  /** Where the status page listens for other machines; undefined: nowhere. */
  readonly pagePort: number | undefined;
  /** Ports that consumers' connections leave from; undefined: the device's own leave none free. */
  readonly consumerPorts: PortRange | undefined;
  /** Prefixes on the device's own interfaces, the tunnel's left out. */
  readonly ownPrefixes: readonly string[];
  /**
   * Special prefixes that the owner opens by name; they win over everything but the device's own
   * addresses.
   */
  readonly allowDestinations: readonly string[];
  /** Prefixes that the owner refuses by name; they win over everything that is allowed. */
  readonly denyDestinations: readonly string[];
  /** `25`, `6881-6889`, `udp/1900`, or `other-protocols`: those without ports, ping left out. */
  readonly blockedPorts: readonly (number | string)[];
  readonly connections: Ceilings;
  readonly line: LinePolicy;
  /** Bytes that may still pass in this period; undefined: no cap. */
  readonly remainingBytes: number | undefined;
  /** Bytes that may still pass until only what is open goes on; undefined: no cap. */
  readonly remainingNewBytes: number | undefined;
  /** Packets with which the fence is tried while it is in force. */
  readonly probes: readonly Probe[];
}

/** What the rules do for the owner's line; rates in bits per second, each way. */
export interface LinePolicy {
  /**
   * What each has a class of the tree; `connection` where all consumers come from one address.
   * undefined: there is no tree.
   */
  readonly classOf: 'consumer' | 'connection' | undefined;
  /** Where nothing shapes: packets above it are dropped. undefined: none is. */
  readonly dropAboveBits: number | undefined;
  /** UDP that comes faster than this is told that nobody listens; undefined: none is. */
  readonly floodBits: number | undefined;
  /** Marks what is shared as Lower Effort (RFC 8622). */
  readonly isLowPriority: boolean;
}

/** The policy without what traffic changes: all that routes and kernel settings depend on. */
export type GatewayLayout = Omit<GatewayPolicy, 'remainingBytes' | 'remainingNewBytes'>;

export const tableName = 'tributary';
/** The table of what the owner denies, with its long lists. */
export const deniedTableName = 'tributary_denied';
/** Carried by packets to destinations that are denied ("deny"). */
export const deniedMark = '0x64656e79';

/** Why a packet was refused, by counter: the names that `status` and the metrics show. */
export const refusals = {
  refused_closed: 'not-providing',
  refused_stray: 'other-tunnel',
  refused_forged: 'forged-source',
  refused_strange: 'strange-packet',
  refused_host: 'device-itself',
  refused_denied: 'denied-destination',
  refused_own: 'own-network',
  refused_special: 'not-public',
  refused_port: 'blocked-port',
  refused_uplink: 'not-uplink',
  refused_invalid: 'invalid',
  refused_unsolicited: 'unsolicited',
  refused_error: 'error-message',
  refused_connections: 'too-many-connections',
  refused_total: 'too-many-in-all',
  refused_new: 'too-many-new-connections',
  refused_half_open: 'too-many-half-open',
  refused_ending: 'cap-ending',
  refused_cap: 'data-cap',
  refused_flood: 'udp-flood',
  refused_rate: 'rate-limit',
} as const;

export type RefusalCounter = keyof typeof refusals;
/** What refused packets are counted by: `own-network`. */
export type RefusalReason = (typeof refusals)[RefusalCounter];

/**
 * Prefixes that are nobody's public unicast addresses (IANA special-purpose address registries).
 */
export const specialPrefixes = {
  v4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    // Azure's own service to each machine, metadata among it: the one such service at a public
    // address.
    '168.63.129.16',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  // Public unicast is 2000::/3 less the special parts within it; everything outside it is refused
  // as one.
  v6: ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
} as const;
