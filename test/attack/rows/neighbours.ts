import { ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'what neighbours on one wire tell each other is nothing that a consumer says';
const mark: Packet[number] = ['Raw', { load: { hex: '0102MARK000000000000' } }];

const places = [
  ['a public address', own.public6],
  ['the device', own.device6],
  ['all neighbours', 'ff02::1'],
  ['the NAS', own.nas6],
] as const;
const sources = [own.consumer6, own.nas6, own.device6, 'fe80::7'];

/** IPv6 neighbours, routers and groups. Connection tracking does not follow them. */
export const neighbourRows: readonly Row[] = places.flatMap(([name, to]) => [
  each(`who has the device, asked of ${name}`, to, [['ICMPv6ND_NS', { tgt: own.device6 }], mark]),
  each(`the NAS is elsewhere, said to ${name}`, to, [
    ['ICMPv6ND_NA', { tgt: own.nas6, R: 0, S: 0, O: 1 }],
    mark,
  ]),
  each(`a router, announced to ${name}`, to, [
    ['ICMPv6ND_RA', { routerlifetime: 1800 }],
    ['ICMPv6NDOptPrefixInfo', { prefix: '2a00:bad::' }],
    mark,
  ]),
  each(`a router, asked of ${name}`, to, [['ICMPv6ND_RS', {}], mark]),
  each(`a better way, told to ${name}`, to, [
    ['ICMPv6ND_Redirect', { tgt: 'fe80::7', dst: own.public6 }],
    mark,
  ]),
  each(`groups, asked of ${name}`, to, [['ICMPv6MLQuery', {}], mark]),
  each(`groups, told to ${name}`, to, [['ICMPv6MLReport', { mladdr: 'ff02::fb' }], mark]),
]);

function each(name: string, to: string, layers: Packet): Row {
  return refused(
    `${name} (${to})`,
    sources.flatMap((src) => [255, 1].map((hlim): Packet => [ip(to, { src, hlim }), ...layers])),
    { why },
  );
}
