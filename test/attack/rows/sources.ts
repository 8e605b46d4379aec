import { echo, attackAddresses as own, protocol, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';
import type { Way } from '../world.ts';

const why =
  "what comes from the tunnel has a consumer's address: no service of the home is asked, and no firewall opened, in another's name";

const martian = 'the kernel itself takes no packet from such a source';
const impossible = new Set([
  own.device4,
  '192.168.77.255',
  '224.0.0.1',
  'ff02::1',
  '127.0.0.1',
  '::1',
  '0.0.0.0',
  '::',
  '255.255.255.255',
]);

/**
 * For a host the home's addresses are none of the namespace's: they are translated as any
 * consumer's, and lead nowhere.
 */
export function listSourceRows(way: Way): readonly Row[] {
  return sourceRows.filter(({ name }) => way === 'container' || !name.includes(' 192.168.'));
}

/** Sources that no consumer has, on packets to a public address. */
const sourceRows: readonly Row[] = [
  ["the device's own address", own.device4],
  ["the device's own address", own.device6],
  ["the tunnel's own address", own.tunnel6],
  ['an address of the NAS', own.nas4],
  ['an address of the NAS', own.nas6],
  ['an address of the router', own.router4],
  ['an address of the router', own.router6],
  ["the home's broadcast address", '192.168.77.255'],
  ['a group', '224.0.0.1'],
  ['a group', 'ff02::1'],
  ['a loopback address', '127.0.0.1'],
  ['a loopback address', '::1'],
  ['no address', '0.0.0.0'],
  ['no address', '::'],
  ['everybody', '255.255.255.255'],
  ['a reserved address', '240.0.0.9'],
  ['a link-local address', '169.254.7.7'],
  ['a link-local address', 'fe80::7'],
  ['an IPv4-mapped address', '::ffff:9.9.9.8'],
].map(([name, source = '']) => {
  const destination = source.includes(':') ? own.public6 : own.public4;
  const fields = { src: source };
  const packets = [
    udp(destination, 9000, fields),
    syn(destination, 80, fields),
    syn(destination, 80, fields, { flags: 'SA' }),
    echo(destination, fields),
    protocol(47, destination, fields),
  ];
  return refused(`from ${name} ${source}`, packets, {
    why,
    ...(impossible.has(source) ? { keptByKernel: martian } : {}),
  });
});
