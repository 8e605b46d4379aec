import { fstatSync } from 'node:fs';

/** /dev/net/tun, as the kernel numbers it on every machine: major 10, minor 200. */
const tunNumber = (10 << 8) | 200;

/**
 * The descriptor, if it is a TUN device that was opened for this process. Where it was not, the
 * number may stand for anything of Node's own.
 * @throws Error where it is not
 */
export function checkTun(descriptor: number): number {
  if (readNumber(descriptor) === tunNumber) return descriptor;
  throw new Error(`it was not handed over as descriptor ${descriptor}`);
}

function readNumber(descriptor: number): number | undefined {
  try {
    const found = fstatSync(descriptor);
    return found.isCharacterDevice() ? found.rdev : undefined;
  } catch {
    return undefined;
  }
}
