/*
 * Bytes around a packet, each said once. What a link, a protocol or a tunnel adds is told apart,
 * because a tree on the line, an MTU and a test of a path each count another part of it.
 */

/** The header of an IP packet without options, by family. */
const ipBytes = { 4: 20, 6: 40 } as const;
const udpBytes = 8;
const icmpBytes = 8;
/** WireGuard's type, receiver, counter and authentication tag. */
const wireGuardBytes = 32;
/** Ethernet's addresses and type, as the line carries them. */
export const frameBytes = 14;

/** What WireGuard puts around a packet, by the family that its own packets are sent by. */
export const wireGuardOverheadBytes = {
  4: ipBytes[4] + udpBytes + wireGuardBytes,
  6: ipBytes[6] + udpBytes + wireGuardBytes,
} as const;

/**
 * What the network's own protocol puts around a packet, where each travels alone: TCP with its time
 * stamps, TLS, WebSocket, and the frame with two ids, the Pack's numbers and its tag.
 */
export const connectOverheadBytes = ipBytes[6] + 32 + 22 + 8 + 130;

/** A path may turn IPv4 into IPv6 on the way: what has to fit into an uplink counts the larger. */
export const mostOverheadBytes = wireGuardOverheadBytes[6];

/** What the owner's line carries around a packet of a consumer, its frame included. */
export const lineOverheadBytes = wireGuardOverheadBytes[4] + frameBytes;

/** What lies around the bytes that `ping` is told to send. */
export const pingOverheadBytes = { 4: ipBytes[4] + icmpBytes, 6: ipBytes[6] + icmpBytes } as const;
