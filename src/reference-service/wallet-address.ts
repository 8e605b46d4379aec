/** The digits of base 58: none is taken for another. */
const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const bytesOfKey = 32;

/** True for a text that can be an address on the chain: SOL or MATIC. */
export function isWalletAddress(address: string, chain: string): boolean {
  if (chain === 'MATIC') return /^0x[\da-f]{40}$/i.test(address);
  return chain === 'SOL' && countBytes(address) === bytesOfKey;
}

/** How many bytes a text in base 58 stands for; undefined for another text. */
function countBytes(text: string): number | undefined {
  const values = [...text].map((digit) => digits.indexOf(digit));
  if (text.length > 2 * bytesOfKey || values.includes(-1)) return undefined;
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const value = values.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
  return zeros + (value === 0n ? 0 : Math.ceil(value.toString(16).length / 2));
}
