import { ip, attackAddresses as own, type Packet, protocol } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why =
  "a protocol without ports leaves by address alone, so its answers could be those to a tunnel of the home's own";

/** IGMP, IP in IP, EGP, DCCP, 6in4, the source routing of SDRP, ESP, AH, OSPF, SCTP, UDP-Lite. */
const numbers = [2, 4, 8, 33, 41, 42, 50, 51, 89, 132, 136, 253];

const questions = {
  [own.public4]: [
    ['the time', ['ICMP', { type: 13, id: 4711, seq: 1 }]],
    ['the network', ['ICMP', { type: 15, id: 4712, seq: 1 }]],
    ['its mask', ['ICMP', { type: 17, id: 4713, seq: 1 }]],
  ],
  [own.public6]: [['its names', ['ICMPv6Unknown', { type: 139, code: 1 }]]],
} as const satisfies Record<string, readonly (readonly [string, Packet[number]])[]>;

/** What no owner has opened; GRE is open in this world. And what ICMP asks besides a ping. */
export const protocolRows: readonly Row[] = [
  ...[own.public4, own.public6].flatMap((address) =>
    numbers.map((number) =>
      refused(`protocol ${number} to ${address}`, [protocol(number, address)], { why }),
    ),
  ),
  ...Object.entries(questions).flatMap(([address, each]) =>
    each.map(([name, layer]) =>
      refused(
        `${address} is asked for ${name}`,
        [[ip(address), layer, ['Raw', { load: 'MARK' }]]],
        { why: 'consumers use TCP, UDP and ping' },
      ),
    ),
  ),
];
