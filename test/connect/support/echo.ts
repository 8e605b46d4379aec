import { expect } from 'vitest';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress, rewriteAddress } from '../../../src/connect/packet/rewrite.ts';
import { isSound } from './packets.ts';

/** The other end of the Internet: sends every packet back to where it came from. */
export function echo(packet: Buffer): readonly Buffer[] {
  const answer = Buffer.from(packet);
  const header = readIpHeader(answer);
  if (header === undefined) throw new Error('the device was given no sound packet');
  expect(isSound(answer)).toBe(true);
  const source = Buffer.from(readAddress(answer, header, 'source'));
  const destination = Buffer.from(readAddress(answer, header, 'destination'));
  rewriteAddress(answer, header, { place: 'source', address: destination });
  rewriteAddress(answer, header, { place: 'destination', address: source });
  return [answer];
}
