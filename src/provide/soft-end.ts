/** The kernel joins packets up to this size, and stops at the first one that would go past the cap. */
export const largestPacketBytes = 65_536;

/** Bytes of a cap after which only what is open goes on: all but 2 %, which is 1 GB at most, a packet at least and half of it at most. */
export function findSoftEnd(capBytes: number): number {
  const endBytes = Math.max(largestPacketBytes, Math.min(capBytes * 0.02, 1e9));
  return Math.ceil(capBytes - Math.min(endBytes, capBytes / 2));
}
