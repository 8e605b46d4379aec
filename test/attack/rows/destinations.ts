import { specialPrefixes } from '../../../src/gateway/policy.ts';
import { echo, attackAddresses as own, type Packet, protocol, syn, udp } from '../packet-data.ts';
import { type Row, refused, toMark } from '../row.ts';
import type { Way } from '../world.ts';

const outOfReach = 'a consumer reaches public unicast addresses only';
const home = "the owner's network is out of reach";

/** TCP, UDP, an echo and SCTP to one address. */
function everyKind(address: string): readonly Packet[] {
  return [syn(address), udp(address), echo(address), protocol(132, address)];
}

function toDestination(name: string, address: string, why: string, rest: Partial<Row> = {}): Row {
  return refused(`${name} ${address}`, everyKind(address), { why, ...rest });
}

/** The kernel itself refuses to route to these. */
const notJoined = 'nobody has joined this group';
const martian = 'no packet from outside is routed to such an address';
const linkLocal = 'an address of one link is never forwarded';

/** An address within each special prefix that the policy lists. */
const special: readonly Row[] = [
  ...specialPrefixes.v4.map((prefix) => {
    const address = prefix.replace(/\.0\/\d+$/, '.9').replace(/\/\d+$/, '');
    return { prefix, address };
  }),
  { prefix: '255.255.255.255', address: '255.255.255.255' },
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192'].map((address) => ({
    prefix: 'metadata',
    address,
  })),
]
  // The lab plays the Internet with this one, so its device has it as an exception.
  .filter(({ prefix }) => prefix !== '192.0.2.0/24')
  .map(({ prefix, address }) =>
    toDestination(`special ${prefix}:`, address, outOfReach, {
      isHeldTwice: !/^(224|240|255)/.test(prefix),
      ...(address.startsWith('127.') ? { keptByKernel: martian } : {}),
      ...(address.startsWith('224.') ? { keptByKernel: notJoined } : {}),
    }),
  );

const special6 = [
  ['unspecified', '::2'],
  ['IPv4-compatible, the NAS', '::c0a8:4d14'],
  ['IPv4-mapped, the NAS', '::ffff:c0a8:4d14'],
  ['NAT64, the NAS', '64:ff9b::c0a8:4d14'],
  ['local NAT64, the NAS', '64:ff9b:1::c0a8:4d14'],
  ['discard', '100::9'],
  ['Teredo', '2001:0:c0a8:4d14::9'],
  ['benchmark', '2001:2::9'],
  ['ORCHID', '2001:20::9'],
  ['documentation', '2001:db8:9::9'],
  ['6to4, the NAS', '2002:c0a8:4d14::9'],
  ['6to4, the home', '2002:2d4d:102::9'],
  ['documentation', '3fff::9'],
  ['segment routing', '5f00::9'],
  ['unique local', 'fc00::9'],
  ['unique local', 'fd12:3456::9'],
  ['metadata', 'fd00:ec2::254'],
  ['site-local', 'fec0::9'],
  ['a cloud for its machines', '2600:2d00:2:1000::9'],
  ['a cloud for its machines', '2600:2d00:2:2000::9'],
].map(([name, address]) =>
  toDestination(`special ${name}:`, address ?? '', outOfReach, { isHeldTwice: true }),
);

/**
 * Public addresses that lie in the home by a route of the device's own. On a host, only the host
 * knows its routes.
 */
export function listRoutedDestinationRows(way: Way): readonly Row[] {
  return [own.routed4, own.routed6].map((address) =>
    toDestination('a public network behind another router of the home,', address, home, {
      isHeldTwice: way === 'container',
    }),
  );
}

/** What a consumer may not reach, wherever it lies. */
export const destinationRows: readonly Row[] = [
  toDestination('the NAS', own.nas4, home, { isHeldTwice: true }),
  toDestination('the NAS', own.nas6, home, { isHeldTwice: true }),
  toDestination('the router', own.router4, home, { isHeldTwice: true }),
  toDestination('the router', own.router6, home, { isHeldTwice: true }),
  // Nobody answers there: the question who has the address is what would be heard.
  toDestination('a free address of the home', '192.168.77.200', home, {
    isHeldTwice: true,
    marks: [toMark('192.168.77.200')],
  }),
  // By another way than the uplink, which is the device's or the host's own.
  toDestination('a machine of another network of the device', own.beyond4, home, {
    isHeldTwice: true,
    never: ['nas', 'router', 'internet', 'device', 'host', 'second'],
  }),
  toDestination("the home's broadcast", '192.168.77.255', home),
  toDestination("the home's network address", '192.168.77.0', home, {
    isHeldTwice: true,
    marks: [toMark('192.168.77.0')],
  }),
  toDestination('the device', own.device4, 'the device itself is out of reach'),
  toDestination('the device', own.device6, 'the device itself is out of reach'),
  toDestination("the tunnel's own address", own.tunnel6, 'the device itself is out of reach'),
  toDestination('loopback', '::1', 'the device itself is out of reach', { keptByKernel: martian }),
  toDestination('all neighbours', 'ff02::1', home),
  toDestination('all routers', 'ff02::2', home),
  toDestination('name service of neighbours', 'ff02::fb', home, { keptByKernel: notJoined }),
  toDestination('all hosts of the site', 'ff05::1', home, { keptByKernel: notJoined }),
  toDestination('all hosts', '224.0.0.1', home),
  toDestination('name service of neighbours', '224.0.0.251', home, { keptByKernel: notJoined }),
  toDestination('UPnP', '239.255.255.250', home, { keptByKernel: notJoined }),
  toDestination('a link-local address', 'fe80::77', home, { keptByKernel: linkLocal }),
  ...special,
  ...special6,
];
