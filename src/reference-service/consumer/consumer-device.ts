import { readIpHeader } from '../../connect/packet/ip-packet.ts';
import { readAddress } from '../../connect/packet/rewrite.ts';
import { openTun } from '../../connect/tun/open-tun.ts';
import { createTunDevice, type PacketDevice } from '../../connect/tun/tun-device.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Exec } from '../../system/exec.ts';
import { hasIpv6 } from '../../system/sysctl.ts';
import { SandboxError } from '../errors.ts';

/** The addresses of one consumer on the device. */
export interface ConsumerAddresses {
  readonly ipv4: string;
  /** Undefined on a machine without IPv6. */
  readonly ipv6: string | undefined;
}

/** A TUN device that several consumers use, each by addresses of its own. */
export interface ConsumerDevice {
  readonly addresses: readonly ConsumerAddresses[];
  /** Hears what each consumer sends, by its number from 0. */
  start(onPacket: (consumer: number, packet: Buffer) => void): void;
  write(packets: readonly Buffer[]): void;
  /** Removes the device, which also ends the reading. */
  close(): Promise<void>;
}

/**
 * Makes the device, gives it the addresses of so many consumers, and brings it up. Routes are the
 * caller's affair.
 * @throws tunnel-failed where it cannot be made, command-failed, missing-program
 */
export async function openConsumerDevice(
  exec: Exec,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<ConsumerDevice> {
  const device = open(name);
  const addresses = listAddresses(count, (await hasIpv6(name)) ? 'both' : 'ipv4');
  try {
    for (const { ipv4, ipv6 } of addresses) {
      await runIp(exec, `address add ${ipv4}/32 dev ${name}`);
      if (ipv6 !== undefined) await runIp(exec, `address add ${ipv6}/128 dev ${name} nodad`);
    }
    await runIp(exec, `link set ${name} mtu ${mtu} up`);
  } catch (error) {
    await remove(exec, name);
    throw error;
  }
  const numbers = new Map<string, number>(
    addresses.flatMap(({ ipv4, ipv6 }, number) => [
      [toBytes4(ipv4), number] as const,
      ...(ipv6 === undefined ? [] : [[toBytes6(number), number] as const]),
    ]),
  );
  return {
    addresses,
    start(onPacket) {
      device.start((packets) => {
        for (const packet of packets) {
          const header = readIpHeader(packet);
          if (header === undefined) continue;
          const source = readAddress(packet, header, 'source').toString('latin1');
          const number = numbers.get(source);
          // Whatever else the kernel says on it, such as looking for routers, is nobody's.
          if (number !== undefined) onPacket(number, packet);
        }
      });
    },
    write: (packets) => device.write(packets),
    close: () => remove(exec, name),
  };
}

/** Below it, a device has no IPv6. Packets are cut to what the network takes, which is less. */
const mtu = 1280;
/** From private ranges, as consumers' programs choose them: two of them choose the same. */
const firstIpv4 = 0x0a_4d_00_01;
const prefixIpv6 = 'fd77::';

function listAddresses(count: number, families: 'ipv4' | 'both'): readonly ConsumerAddresses[] {
  return Array.from({ length: count }, (_, number) => ({
    ipv4: toIpv4(number),
    ipv6: families === 'both' ? `${prefixIpv6}${(number + 1).toString(16)}` : undefined,
  }));
}

function toIpv4(number: number): string {
  const address = Buffer.alloc(4);
  address.writeUInt32BE(firstIpv4 + number);
  return address.join('.');
}

function toBytes4(address: string): string {
  return Buffer.from(address.split('.').map(Number)).toString('latin1');
}

function toBytes6(number: number): string {
  const address = Buffer.alloc(16);
  address.writeUInt16BE(0xfd77);
  address.writeUInt32BE(number + 1, 12);
  return address.toString('latin1');
}

function open(name: string): PacketDevice {
  try {
    return createTunDevice(openTun(name));
  } catch (error) {
    throw new SandboxError('tunnel-failed', messageOf(error), { cause: error });
  }
}

async function remove(exec: Exec, name: string): Promise<void> {
  await runIp(exec, `link del ${name}`);
}

async function runIp(exec: Exec, command: string): Promise<void> {
  await exec({ program: 'ip', args: command.split(' '), doing: `running ip ${command}` });
}
