import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { attachScript } from './attach-script.ts';

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
const script = `my ($name, $tun) = ($ARGV[0], \\*STDIN);${attachScript}`;
