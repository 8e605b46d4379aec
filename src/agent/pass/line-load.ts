import { frameBytes, lineOverheadBytes } from '../../source/packet-bytes.ts';

/** What the device of one source carried since it was made, and what its packets are like. */
export interface SourceLoad {
  readonly rxBytes: number;
  readonly txBytes: number;
  /** As the kernel counts them: many that were joined are one. */
  readonly packets: number;
  /** Bytes that the source puts around each packet on the uplink; undefined while unknown. */
  readonly overheadBytes: number | undefined;
  /** The largest packet of the device in bytes; undefined while unknown. */
  readonly mtu: number | undefined;
}

/**
 * Pure. The bits that shared traffic puts on the owner's line, each way, since the devices were
 * made. A frame of the line carries one packet that is no larger than the device's, however many
 * the kernel has joined.
 */
export function countLineBits(sources: readonly SourceLoad[]): number {
  const bytes = sources.map(({ rxBytes, txBytes, packets, overheadBytes, mtu }) => {
    const around = overheadBytes === undefined ? lineOverheadBytes : overheadBytes + frameBytes;
    const carried = rxBytes + txBytes;
    return carried + Math.max(packets, mtu === undefined ? 0 : carried / mtu) * around;
  });
  return bytes.reduce((sum, own) => sum + own, 0) * 8;
}

/** Pure. What the card carried beyond the shared traffic, which passes it twice. */
export function findOwnBits(cardBits: number, sharedBits: number): number {
  return Math.max(0, cardBits - 2 * sharedBits) || 0;
}
