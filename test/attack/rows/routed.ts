import { echo, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';

const why =
  'the host routes for the namespace alone: nobody in the home gets a way that was not there';

/** What a neighbour in the home sends to the host's card, for the host's other network. */
export const routedRows: readonly Row[] = [
  ...[own.nas4, '192.168.77.99', own.public4].flatMap((source): Row[] =>
    [udp, syn, echo].map((toPacket) => ({
      name: `a neighbour's packet (${toPacket.name}) from ${source} into the host's other network`,
      family: 4,
      steps: [{ from: 'lan', packets: [from(source, toPacket(own.beyond4))] }],
      never: ['second'],
      why,
    })),
  ),
];

function from(source: string, [ip, ...rest]: Packet): Packet {
  return ip === undefined ? [] : [[ip[0], { ...ip[1], src: source }], ...rest];
}
