import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';

/**
 * Opens a TUN device with virtio headers and the kernel's offloads: one read gives up to 64 KiB of
 * one flow, one write takes as much. Node has no ioctl, so `perl` makes the two calls on our
 * descriptor, which it inherits as its standard input; it is there on every Debian.
 *
 * A device that exists and belongs to the calling user needs no capability. A read that is pending
 * keeps the process from ending: to stop, delete the device first, which ends the read.
 * @throws Error where the device cannot be had, with what perl said
 */
export function openTun(name: string): number {
  if (!deviceName.test(name)) throw new Error(`no name of a device: ${name}`);
  const descriptor = openSync('/dev/net/tun', constants.O_RDWR);
  const { status, stderr, error } = spawnSync('/usr/bin/perl', ['-e', script, name], {
    stdio: [descriptor, 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  throw new Error(`opening the device ${name}: ${error?.message ?? stderr.trim()}`);
}

const deviceName = /^[a-z][a-z0-9-]{0,14}$/;
/** TUNSETIFF with a TUN without packet information, with virtio headers; TUNSETOFFLOAD with
 * checksums and segments of TCP in both families. */
const script = `
my $request = pack("a16 s x22", $ARGV[0], 0x5001);
ioctl(STDIN, 0x400454ca, $request) or die "TUNSETIFF: $!";
ioctl(STDIN, 0x400454d0, 0x07) or die "TUNSETOFFLOAD: $!";
`;
