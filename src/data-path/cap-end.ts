/**
 * The kernel joins packets up to this many bytes, and stops at the first one that would exceed the
 * cap.
 */
export const largestPacketBytes = 65_536;

/**
 * True where the kernel may have stopped already because less than one packet was left. A cap
 * smaller than one packet is used up by any packet.
 */
export function isUsedUp(remaining: number, capBytes: number): boolean {
  return remaining < Math.min(largestPacketBytes, capBytes);
}

/**
 * Bytes of a cap after which only open connections go on. The rest is 2 % of the cap, but at most 1
 * GB, at least one packet, and never more than half of the cap.
 */
export function findSoftEnd(capBytes: number): number {
  const endBytes = Math.max(largestPacketBytes, Math.min(capBytes * 0.02, 1e9));
  return Math.ceil(capBytes - Math.min(endBytes, capBytes / 2));
}
