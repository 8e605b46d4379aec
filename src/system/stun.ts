import { randomBytes } from 'node:crypto';
import { askByDatagram } from './datagram.ts';

/**
 * This network's public IPv4 address as a STUN server on the Internet sees it (RFC 8489); undefined
 * without an answer.
 */
export async function askStunServer(
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const transaction = randomBytes(12);
  const request = Buffer.concat([Buffer.from([0, 1, 0, 0]), cookie, transaction]);
  const decode = (bytes: Buffer) => decodeStunAnswer(bytes, transaction);
  return askByDatagram(
    { host, port, request: () => request, decode, waitsMs: [500, 1000, 2000] },
    signal,
  );
}

const cookie = Buffer.from([0x21, 0x12, 0xa4, 0x42]);
const mapped = 0x0001;
const xorMapped = 0x0020;

/**
 * The address in an answer; undefined if it does not answer this request or holds no IPv4 address.
 */
export function decodeStunAnswer(bytes: Buffer, transaction: Buffer): string | undefined {
  const isAnswer =
    bytes.length >= 20 &&
    bytes.readUInt16BE(0) === 0x0101 &&
    bytes.readUInt16BE(2) === bytes.length - 20 &&
    bytes.subarray(4, 20).equals(Buffer.concat([cookie, transaction]));
  if (!isAnswer) return undefined;
  const found = new Map<number, string>();
  for (let at = 20; at + 4 <= bytes.length; ) {
    const [type, length] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)];
    const value = bytes.subarray(at + 4, at + 4 + length);
    // The value holds a zero byte, the family (1 is IPv4), the port and the address.
    if (length === 8 && value.length === 8 && value[1] === 1) {
      const mask = (byte: number, index: number) =>
        type === xorMapped ? byte ^ (cookie[index] ?? 0) : byte;
      found.set(type, [...value.subarray(4)].map(mask).join('.'));
    }
    // Attributes are padded to four bytes.
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return found.get(xorMapped) ?? found.get(mapped);
}
