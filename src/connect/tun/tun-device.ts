import { read, writeSync } from 'node:fs';
import { cutPackets, virtioHeaderLength } from '../packet/cut.ts';
import { createJoiner } from '../packet/join.ts';

/** Where packets leave to and come from. */
export interface PacketDevice {
  /** Writes packets in order; what the device does not take is lost, as on any line. */
  write(packets: readonly Buffer[]): void;
  /** Begins to read: packets of at most 1,100 bytes. */
  start(onPackets: (packets: readonly Buffer[]) => void): void;
  /** Writes that failed, and whether reading has ended, which it does when the device is gone. */
  state(): { readonly failedWrites: number; readonly hasEnded: boolean };
}

const mostRead = 65_536 + virtioHeaderLength;

/** A TUN device that was opened with virtio headers. */
export function createTunDevice(descriptor: number): PacketDevice {
  let failedWrites = 0;
  let hasEnded = false;
  const buffer = Buffer.allocUnsafeSlow(mostRead);
  const joiner = createJoiner((bytes) => {
    try {
      writeSync(descriptor, bytes);
    } catch {
      // The kernel refuses a packet it finds unsound, and each one while the device is down.
      failedWrites++;
    }
  });
  return {
    write(packets) {
      for (const packet of packets) joiner.add(packet);
      joiner.flush();
    },
    start(onPackets) {
      const next = (): void =>
        read(descriptor, buffer, 0, mostRead, null, (error, length) => {
          hasEnded = error !== null || length === 0;
          if (hasEnded) return;
          onPackets(cutPackets(buffer.subarray(0, length)));
          next();
        });
      next();
    },
    state: () => ({ failedWrites, hasEnded }),
  };
}
