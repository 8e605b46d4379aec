import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutPackets, virtioHeaderLength } from '../../../src/connect/packet/cut.ts';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { createJoiner } from '../../../src/connect/packet/join.ts';
import { rewriteAddress, rewriteQuotedSource } from '../../../src/connect/packet/rewrite.ts';
import { assertLaw } from '../../unit/law.ts';
import { anyBytes } from '../support/arbitraries.ts';
import { address, isSound, makePacket } from '../support/packets.ts';

const anyVersion = fc.constantFrom(4 as const, 6 as const);
const anyProtocol = fc.constantFrom(1, 6, 17, 47, 58);
const readHeader = (bytes: Buffer) => {
  const packet = readIpHeader(bytes);
  if (packet === undefined) throw new Error('not a packet');
  return packet;
};

test('an address that is rewritten leaves every checksum right', () => {
  const places = fc.constantFrom('source' as const, 'destination' as const);
  const values = fc.tuple(anyVersion, anyProtocol, anyBytes(200), places, fc.nat(255));
  assertLaw(values, ([version, protocol, payload, place, last]) => {
    const bytes = makePacket({ version, protocol, payload });
    rewriteAddress(bytes, readHeader(bytes), { place, address: address(version, last) });
    expect(isSound(bytes)).toBe(true);
    const moved = { [place]: address(version, last) };
    expect(bytes).toEqual(makePacket({ version, protocol, payload, ...moved }));
  });
});

test('UDP without a checksum keeps none', () => {
  const bytes = makePacket({ version: 4, protocol: 17, payload: Buffer.from('hi') });
  bytes.writeUInt16BE(0, 26);
  rewriteAddress(bytes, readHeader(bytes), { place: 'source', address: address(4, 9) });
  expect(bytes.readUInt16BE(26)).toBe(0);
});

test('the packet that an ICMP error quotes gets its sender’s own address back', () => {
  assertLaw(fc.tuple(anyVersion, fc.nat(255)), ([version, last]) => {
    const quoted = makePacket({ version, protocol: 17, payload: Buffer.alloc(20, 3) });
    const bytes = makePacket({ version, protocol: version === 4 ? 1 : 58, payload: quoted });
    const start = version === 4 ? 20 : 40;
    const packet = readHeader(bytes);
    rewriteAddress(bytes, packet, { place: 'source', address: address(version, 7) });
    expect(isSound(bytes)).toBe(true);
    // An echo quotes nothing.
    const echo = Buffer.from(bytes);
    rewriteQuotedSource(bytes, packet, address(version, last));
    expect(bytes).toEqual(echo);
    const unreachable = version === 4 ? 3 : 1;
    bytes.writeUInt16BE(bytes.readUInt16BE(start + 2) + (8 - unreachable) * 256, start + 2);
    bytes[start] = unreachable;
    expect(isSound(bytes)).toBe(true);
    rewriteQuotedSource(bytes, packet, address(version, last));
    expect(isSound(bytes)).toBe(true);
    const place = version === 4 ? 12 : 8;
    const inner = bytes.subarray(start + 8);
    expect(inner.subarray(place, place + address(version, 1).length)).toEqual(
      address(version, last),
    );
  });
});

/** What the kernel hands over: one header, up to 64 KiB, no checksum yet. */
function asKernel(bytes: Buffer, segment: number): Buffer {
  const virtio = Buffer.alloc(virtioHeaderLength);
  virtio[0] = 1;
  virtio[1] = segment === 0 ? 0 : 1;
  virtio.writeUInt16LE(segment, 4);
  return Buffer.concat([virtio, bytes]);
}

test('a run of a TCP flow is cut into right packets, and joined to the same run again', () => {
  const values = fc.tuple(
    anyVersion,
    fc.integer({ min: 1, max: 60_000 }),
    fc.integer({ min: 200, max: 1400 }),
  );
  assertLaw(values, ([version, length, segment]) => {
    const payload = Buffer.from(Array.from({ length }, (_, at) => at & 255));
    const run = makePacket({ version, protocol: 6, payload, flags: 0x18 });
    const cut = cutPackets(asKernel(run, segment));
    for (const bytes of cut) {
      expect(bytes.length).toBeLessThanOrEqual(1100);
      expect(isSound(bytes)).toBe(true);
    }
    const headers = run.length - length;
    expect(Buffer.concat(cut.map((bytes) => bytes.subarray(headers)))).toEqual(payload);
    // Only the last one pushes.
    expect(cut.filter((bytes) => ((bytes[headers - 32 + 13] as number) & 8) !== 0).length).toBe(1);

    const written: Buffer[] = [];
    const joiner = createJoiner((bytes) => written.push(Buffer.from(bytes)));
    for (const bytes of cut) joiner.add(bytes);
    joiner.flush();
    expect(written.length).toBe(1);
    const again = written[0]?.subarray(virtioHeaderLength) as Buffer;
    expect(again.length).toBe(run.length);
    expect(again.subarray(headers)).toEqual(payload);
    expect(cutPackets(written[0] as Buffer)).toEqual(cut);
  });
});

test('only the first segment of a run says that its sender slowed down', () => {
  const payload = Buffer.alloc(5000);
  const run = makePacket({ version: 4, protocol: 6, payload, flags: 0x90 });
  const flags = cutPackets(asKernel(run, 1000)).map((bytes) => bytes[33]);
  expect(flags).toEqual([0x90, 0x10, 0x10, 0x10, 0x10]);
});

test('flows that alternate, and packets of UDP, keep their order and their bytes', () => {
  const written: Buffer[] = [];
  const joiner = createJoiner((bytes) =>
    written.push(Buffer.from(bytes.subarray(virtioHeaderLength))),
  );
  const packets = [
    makePacket({ version: 4, protocol: 6, payload: Buffer.alloc(100), sequence: 1 }),
    makePacket({
      version: 4,
      protocol: 6,
      payload: Buffer.alloc(100),
      sequence: 1,
      source: address(4, 9),
    }),
    makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(50) }),
    makePacket({ version: 4, protocol: 6, payload: Buffer.alloc(0), sequence: 101 }),
    makePacket({ version: 4, protocol: 6, payload: Buffer.alloc(100), sequence: 101, flags: 0x11 }),
    makePacket({ version: 6, protocol: 6, payload: Buffer.alloc(100), sequence: 201 }),
    // A hole: it does not follow.
    makePacket({ version: 6, protocol: 6, payload: Buffer.alloc(100), sequence: 400 }),
  ];
  for (const bytes of packets) joiner.add(bytes);
  joiner.flush();
  expect(written).toEqual(packets);
});

test('what is too long and no TCP is cut into fragments that are whole together', () => {
  assertLaw(fc.tuple(anyVersion, fc.integer({ min: 1, max: 1460 })), ([version, length]) => {
    const payload = Buffer.from(Array.from({ length }, (_, at) => at & 255));
    const bytes = makePacket({ version, protocol: 17, payload });
    const parts = cutPackets(asKernel(bytes, 0));
    if (bytes.length <= 1100) {
      expect(parts).toEqual([bytes]);
      return;
    }
    const header = version === 4 ? 20 : 48;
    let expected = 0;
    for (const [index, part] of parts.entries()) {
      expect(part.length).toBeLessThanOrEqual(1100);
      expect(isSound(part)).toBe(true);
      expect(readHeader(part)).toMatchObject({ isFragment: true, isLaterFragment: index > 0 });
      expect(readFragment(part, version)).toEqual({
        offset: expected,
        more: index < parts.length - 1,
      });
      expected += part.length - header;
    }
    const transport = bytes.subarray(version === 4 ? 20 : 40);
    expect(Buffer.concat(parts.map((part) => part.subarray(header)))).toEqual(transport);
  });
});

function readFragment(part: Buffer, version: 4 | 6) {
  if (version === 6) {
    const field = part.readUInt16BE(42);
    return { offset: field & 0xfff8, more: (field & 1) !== 0 };
  }
  const field = part.readUInt16BE(6);
  return { offset: (field & 0x1fff) * 8, more: (field & 0x2000) !== 0 };
}

test('whatever the bytes are, they are taken or left, and no packet is too long', () => {
  const started = fc.tuple(
    fc.constantFrom(0x45, 0x60, 0x4f, 0x00),
    fc.uint8Array({ maxLength: 300 }),
  );
  assertLaw(fc.tuple(started, fc.nat(70)), ([[first, rest], protocol]) => {
    const bytes = Buffer.from([first, ...rest]);
    if (bytes.length > 9) bytes[first === 0x60 ? 6 : 9] = protocol;
    const packet = readIpHeader(bytes);
    if (packet !== undefined) {
      expect(packet.length).toBeLessThanOrEqual(bytes.length);
      expect(packet.headerLength).toBeLessThanOrEqual(packet.length);
      const changed = Buffer.from(bytes);
      rewriteAddress(changed, packet, { place: 'source', address: address(packet.version, 1) });
      rewriteQuotedSource(changed, packet, address(packet.version, 1));
    }
    const joiner = createJoiner(() => undefined);
    joiner.add(bytes);
    joiner.flush();
    for (const part of cutPackets(asKernel(bytes, 50)))
      expect(part.length).toBeLessThanOrEqual(1100);
  });
});
