const poolStart = 0x0a_40_00_00;
const hostsPerBlock = 254;
const blocks = 2 ** 14;

/** The address of the tunnel with this number (1-based): its own within 10.64.0.0/10, never one that ends in 0 or 255. */
export function toClientAddress(number: number): string {
  const block = Math.floor((number - 1) / hostsPerBlock);
  if (!Number.isSafeInteger(number) || number < 1 || block >= blocks) {
    throw new RangeError(`the pool of client addresses has no number ${number}`);
  }
  const address = poolStart + block * 256 + 1 + ((number - 1) % hostsPerBlock);
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}
