import { ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = "the owner's network is out of reach, by whatever way a packet asks for";

/** IPv6 packets that ask for a way by the NAS. */
export const routingHeaderRows: readonly Row[] = [0, 2, 3, 4].flatMap((type) =>
  [
    ['the device', own.device6],
    ['a public address', own.public6],
    ["the tunnel's address", own.tunnel6],
  ].map(([name = '', to = '']) =>
    refused(`a routing header of type ${type} by ${name} to the NAS`, [routed(to, type)], {
      why,
      ...(to === own.public6 || type < 3
        ? {}
        : { keptByKernel: 'it is not the end of such a way, and routes none on' }),
    }),
  ),
);

/** Next header UDP, two units long, one segment left, then the address of the NAS. */
function routed(to: string, type: number): Packet {
  const address = '2a000077007700000000000000000020';
  const kind = type.toString(16).padStart(2, '0');
  return [
    ip(to, { nh: 43 }),
    ['Raw', { load: { hex: `1102${kind}0100000000${address}9c41232800100000MARK` } }],
  ];
}
