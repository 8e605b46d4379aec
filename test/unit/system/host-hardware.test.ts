import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHostHardware } from '../../../src/system/host-hardware.ts';
import { makeDirectory } from '../../make-directory.ts';

interface Link {
  readonly name: string;
  readonly kind?: string;
  readonly flags?: readonly string[];
  /** As the kernel says it in this namespace. */
  readonly address?: string;
  /** As /sys says it, with a device behind it. */
  readonly hardware?: string;
  /** As /sys says it, with nothing behind it. */
  readonly virtual?: string;
}

function find(links: readonly Link[]) {
  const sys = makeDirectory();
  for (const { name, hardware, virtual } of links) {
    const directory = join(sys, 'class/net', name);
    mkdirSync(hardware === undefined ? directory : join(directory, 'device'), { recursive: true });
    writeFileSync(join(directory, 'address'), `${hardware ?? virtual ?? ''}\n`);
  }
  const rows = links.map(({ name, kind, flags, address }, index) => {
    return {
      ifindex: index + 1,
      ifname: name,
      flags: flags ?? ['UP'],
      address,
      linkinfo: { info_kind: kind },
    };
  });
  return findHostHardware(async () => JSON.stringify(rows), sys);
}

const card = '52:54:00:00:00:01';

test.each<readonly [string, readonly Link[], string | undefined]>([
  [
    'only loopback is a namespace of its own',
    [{ name: 'lo', flags: ['LOOPBACK'], address: '00:00' }],
    undefined,
  ],
  [
    'a veth is a namespace of its own',
    [{ name: 'eth0', kind: 'veth', address: card, hardware: card }],
    undefined,
  ],
  ['a network card is the host', [{ name: 'enp1s0', address: card, hardware: card }], 'enp1s0'],
  [
    "a /sys that shows the host's card of the same name is a namespace of its own",
    [{ name: 'eth0', address: '02:00:00:00:00:09', hardware: card }],
    undefined,
  ],
  [
    'an interface without a device behind it is a namespace of its own',
    [{ name: 'tap0', address: card, virtual: card }],
    undefined,
  ],
])('%s', async (_, links, hardware) => {
  expect(await find(links)).toBe(hardware);
});
