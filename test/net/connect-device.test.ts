import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readIpHeader } from '../../src/connect/packet/ip-packet.ts';
import { readAddress, rewriteAddress } from '../../src/connect/packet/rewrite.ts';
import { openTun } from '../../src/connect/tun/open-tun.ts';
import { createTunDevice, type PacketDevice } from '../../src/connect/tun/tun-device.ts';
import { isInsideLab } from '../../tools/lab/network.ts';

const name = `cn${randomBytes(3).toString('hex')}`;
const run = (...args: readonly string[]) => execFileSync('ip', args, { stdio: 'pipe' });
let device: PacketDevice;
const lengths: number[] = [];

/**
 * Every packet comes back with its addresses exchanged, so that this machine talks to itself
 * through the device: what it sends to the far address reaches its own.
 */
function turnAround(packet: Buffer): Buffer {
  const header = readIpHeader(packet);
  if (header === undefined) throw new Error('the device gave no sound packet');
  lengths.push(packet.length);
  const source = Buffer.from(readAddress(packet, header, 'source'));
  const destination = Buffer.from(readAddress(packet, header, 'destination'));
  rewriteAddress(packet, header, { place: 'source', address: destination });
  rewriteAddress(packet, header, { place: 'destination', address: source });
  return packet;
}

describe.runIf(isInsideLab)('a device that Node opened', () => {
  beforeAll(() => {
    device = createTunDevice(openTun(name));
    run('addr', 'add', '10.9.0.1/24', 'dev', name);
    run('addr', 'add', 'fd09::1/64', 'dev', name, 'nodad');
    run('link', 'set', name, 'up');
    device.start((packets) => device.write(packets.map(turnAround)));
  });

  // A read that is pending would keep the process from ending.
  afterAll(() => run('link', 'del', name));

  test.each([
    ['IPv4', '10.9.0.1', '10.9.0.2'],
    ['IPv6', 'fd09::1', 'fd09::2'],
  ])('takes a TCP flow of %s whole, in packets of at most 1,100 bytes', async (_, near, far) => {
    const content = randomBytes(8 * 1024 * 1024);
    const server = createServer((socket) => socket.end(content));
    await new Promise<void>((resolve) => server.listen(0, near, resolve));
    const got = createHash('sha256');
    const socket = connect({ host: far, port: (server.address() as AddressInfo).port });
    for await (const bytes of socket) got.update(bytes as Buffer);
    expect(got.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'));
    expect(Math.max(...lengths.splice(0))).toBe(1100);
    expect(device.state()).toEqual({ failedWrites: 0, hasEnded: false });
    server.close();
  });

  test.each([
    ['udp4', '10.9.0.1', '10.9.0.2'],
    ['udp6', 'fd09::1', 'fd09::2'],
  ] as const)('takes datagrams of %s that are longer than a packet', async (type, near, far) => {
    const receiver = createSocket(type);
    await new Promise<void>((resolve) => receiver.bind(0, near, resolve));
    const sender = createSocket(type);
    for (const length of [100, 1300, 1440]) {
      const sent = randomBytes(length);
      const received = new Promise<Buffer>((resolve) => receiver.once('message', resolve));
      sender.send(sent, receiver.address().port, far);
      expect(await received).toEqual(sent);
    }
    expect(Math.max(...lengths.splice(0))).toBeLessThanOrEqual(1100);
    sender.close();
    receiver.close();
  });

  test('a name that is no name of a device is refused, and so is one that is taken', () => {
    expect(() => openTun('x; reboot')).toThrow('no name of a device');
    expect(() => openTun(name)).toThrow(`opening the device ${name}: TUNSETIFF: `);
    expect(() => openTun('lo')).toThrow('TUNSETIFF');
  });
});
