import type { Ceilings } from './ceilings.ts';

/** Running totals of one direction, as the kernel counts them. */
interface Totals {
  readonly packets: number;
  readonly bytes: number;
}

/** Traffic forwarded since the device was first set up: `up` leaves for the Internet, `down` comes back. */
export interface ForwardedTotals {
  readonly up: Totals;
  readonly down: Totals;
}

/** Everything that the ruleset depends on; the same value always renders the same text. */
export interface GatewayPolicy {
  readonly tunnelInterface: string;
  /** undefined: there is none now, nothing is forwarded. */
  readonly uplink: string | undefined;
  /** Bytes; forwarded connections are told to stay below it. */
  readonly tunnelMtu: number;
  /** Prefixes on the device's own interfaces, the tunnel's left out. */
  readonly ownPrefixes: readonly string[];
  /** Special prefixes that the owner opens by name; they win over everything but the device's own addresses. */
  readonly allowDestinations: readonly string[];
  /** `25`, `6881-6889`, `udp/1900`, or `other-protocols`: those without ports, ping left out. */
  readonly blockedPorts: readonly (number | string)[];
  readonly connections: Ceilings;
  /** Bits per second; undefined: no limit. */
  readonly rateLimit: { readonly up: number | undefined; readonly down: number | undefined };
  /** Bytes that may still pass in this period; undefined: no cap. */
  readonly remainingBytes: number | undefined;
}

/** The policy without what traffic changes: all that routes and kernel settings depend on. */
export type GatewayLayout = Omit<GatewayPolicy, 'remainingBytes'>;

export const tableName = 'tributary';

/** Why a packet from the tunnel was refused, by counter: the names that `status` and the metrics show. */
export const refusals = {
  refused_closed: 'not-providing',
  refused_host: 'device-itself',
  refused_own: 'own-network',
  refused_special: 'not-public',
  refused_port: 'blocked-port',
  refused_uplink: 'not-uplink',
  refused_invalid: 'invalid',
  refused_unsolicited: 'unsolicited',
  refused_connections: 'too-many-connections',
  refused_total: 'too-many-in-all',
  refused_new: 'too-many-new-connections',
  refused_half_open: 'too-many-half-open',
  refused_cap: 'data-cap',
  refused_rate: 'rate-limit',
} as const;

export type RefusalCounter = keyof typeof refusals;
/** What refused packets are counted by: `own-network`. */
export type RefusalReason = (typeof refusals)[RefusalCounter];

/** Prefixes that are nobody's public unicast addresses (IANA special-purpose address registries). */
export const specialPrefixes = {
  v4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
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
  // Public unicast is 2000::/3 less the special parts within it; everything outside it is refused as one.
  v6: ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
} as const;
