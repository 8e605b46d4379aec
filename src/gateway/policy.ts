import type { PortRange } from '../lib/ports.ts';
import type { FurtherProtocol } from '../lib/protocols.ts';
import type { Ceilings } from './ceilings.ts';
import type { SourceDevice } from './devices.ts';
import type { Probe } from './self-test.ts';

/**
 * Traffic forwarded since the device was first set up: `up` leaves for the Internet, `down` comes
 * back.
 */
export type ForwardedTotals = Readonly<
  Record<'up' | 'down', { readonly packets: number; readonly bytes: number }>
>;

/** Everything that the ruleset depends on. Equal policies always render equal text. */
export interface GatewayPolicy {
  /** The devices of all sources, in their order, at least one. */
  readonly devices: readonly SourceDevice[];
  /**
   * The interface that leads to the Internet; undefined without one, and then nothing is forwarded.
   */
  readonly uplink: string | undefined;
  readonly uplinkAddresses: readonly string[];
  /** The port at which other machines reach the status page; undefined without one. */
  readonly pagePort: number | undefined;
  /**
   * The ports that consumers' connections leave from, the widest range last; none where the
   * device's own connections leave too few.
   */
  readonly consumerPorts: readonly PortRange[];
  /** Prefixes on this machine's own interfaces, the sources' devices left out. */
  readonly ownPrefixes: readonly string[];
  /**
   * Special prefixes that the owner opens by name. They win over everything except the device's own
   * addresses.
   */
  readonly allowDestinations: readonly string[];
  /** Prefixes that the owner refuses by name. They win over everything that is allowed. */
  readonly denyDestinations: readonly string[];
  /**
   * `25`, `6881-6889`, `udp/1900`, or `other-protocols` for protocols without ports, ping excepted.
   */
  readonly blockedPorts: readonly (number | string)[];
  /** Protocols beside TCP, UDP and ping that consumers may use. */
  readonly openProtocols: readonly FurtherProtocol[];
  /** Where this machine's own tunnels lead: consumers reach these by TCP, UDP and ping alone. */
  readonly tunnelEnds: readonly string[];
  readonly connections: Ceilings;
  readonly line: LinePolicy;
  /** Bytes that may still pass in this period; undefined without a cap. */
  readonly remainingBytes: number | undefined;
  /** Bytes that may still pass until only open connections go on; undefined without a cap. */
  readonly remainingNewBytes: number | undefined;
  /** Packets that test the fence while it is in force. */
  readonly probes: readonly Probe[];
}

/** What the rules do for the owner's line. Rates are in bits per second, each way. */
export interface LinePolicy {
  /**
   * Who has a class of the tree: each consumer, or each `connection` where all consumers come from
   * one address; undefined without a tree.
   */
  readonly classOf: 'consumer' | 'connection' | undefined;
  /**
   * Packets above this rate are dropped, where no tree shapes them; undefined where none are
   * dropped.
   */
  readonly dropAboveBits: number | undefined;
  /**
   * Senders of UDP that comes faster than this are told that no program listens; undefined where
   * they are not.
   */
  readonly floodBits: number | undefined;
  /** True where shared packets are marked as Lower Effort (RFC 8622). */
  readonly isLowPriority: boolean;
}

/**
 * The policy without what traffic changes: everything that routes and kernel settings depend on.
 */
export type GatewayLayout = Omit<GatewayPolicy, 'remainingBytes' | 'remainingNewBytes'>;

export const tableName = 'tributary';
/** The name of the table with the owner's long lists of denied destinations. */
export const deniedTableName = 'tributary_denied';
/** The mark ("deny") of packets to destinations that are denied, and of answers from them. */
export const deniedMark = '0x64656e79';
/** The mark ("badd") of packets to bad addresses, and of answers from them. */
export const badMark = '0x62616464';

/** Why a packet was refused, by counter. The reasons are the names in `status` and the metrics. */
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
  refused_protocol: 'other-protocol',
  refused_risky: 'risky-port',
  refused_sharing: 'file-sharing',
  refused_bad: 'bad-address',
  refused_uplink: 'not-uplink',
  refused_invalid: 'invalid',
  refused_unsolicited: 'unsolicited',
  refused_error: 'error-message',
  refused_untranslated: 'not-translated',
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
/** The reason under which refused packets are counted: `own-network`. */
export type RefusalReason = (typeof refusals)[RefusalCounter];

/**
 * What clouds have for their own machines at addresses that are public by their number, and that
 * the Internet does not lead to: as their documents name it.
 */
const cloudServices = {
  v4: [
    // IBM Cloud, "Service endpoints for VPC": name servers, mirrors, time, storage (IaaS), and the
    // private endpoints of its services (PaaS).
    '161.26.0.0/16',
    '166.8.0.0/14',
    // Azure, "What is IP address 168.63.129.16": the service to each machine, metadata included.
    '168.63.129.16',
    // Tencent Cloud, "Private network access": the name servers.
    '183.60.82.98',
    '183.60.83.19',
    // Google Cloud, "Private Google Access": restricted.googleapis.com and private.googleapis.com.
    '199.36.153.4/30',
    '199.36.153.8/30',
  ],
  v6: ['2600:2d00:2:1000::/64', '2600:2d00:2:2000::/64'],
} as const;

/**
 * Prefixes that are not public unicast addresses (IANA special-purpose address registries), and
 * what belongs to a cloud.
 */
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
    ...cloudServices.v4,
  ],
  // Public unicast is 2000::/3 without the special parts in it; everything else is refused.
  v6: [
    '::/3',
    '4000::/2',
    '8000::/1',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
    ...cloudServices.v6,
  ],
} as const;
