import { echo, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';

const why =
  'only consumers are routed, and only to the Internet: nobody in the home gets a way that was not there';

/** What a neighbour in the home sends to the device's card, for another network of the device. */
export const routedRows: readonly Row[] = [
  ...[own.nas4, '192.168.77.99', own.public4].flatMap((source): Row[] =>
    [udp, syn, echo].map((toPacket) => ({
      name: `a neighbour's packet (${toPacket.name}) from ${source} into another network of the device`,
      family: 4,
      steps: [{ from: 'lan', packets: [from(source, toPacket(own.beyond4))] }],
      // In a container, what comes in by the uplink is led to consumers, and refused there.
      never: ['second', 'tunnel'],
      why,
    })),
  ),
];

function from(source: string, [ip, ...rest]: Packet): Packet {
  return ip === undefined ? [] : [[ip[0], { ...ip[1], src: source }], ...rest];
}
