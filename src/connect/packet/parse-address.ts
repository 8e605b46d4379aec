import { isIP } from 'node:net';

/** The bytes of an address in text form, 4 or 16 of them. @throws RangeError for any other text */
export function parseAddress(text: string): Buffer {
  const family = isIP(text);
  if (family === 0 || text.includes('%')) throw new RangeError(`not an address: ${text}`);
  if (family === 4) return Buffer.from(text.split('.').map(Number));
  // A URL writes the last 32 bits of an IPv6 address in hex, whichever way they were given.
  const { hostname } = new URL(`http://[${text}]`);
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const [before, after] = [toGroups(head), toGroups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function toGroups(part: string): readonly string[] {
  return part === '' ? [] : part.split(':');
}
