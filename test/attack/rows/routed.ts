import { echo, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';

const why =
  'only consumers are routed, and only to the Internet: nobody in the home gets a way that was not there';

/** What a neighbour in the home sends to the device's card, for another network of the device. */
const inwardRows: readonly Row[] = [own.nas4, '192.168.77.99', own.public4, own.nas6].flatMap(
  (source): Row[] =>
    [udp, syn, echo].map((toPacket) => ({
      name: `a neighbour's packet (${toPacket.name}) from ${source} into another network of the device`,
      family: familyOf(source),
      steps: [
        {
          from: 'lan',
          packets: [from(source, toPacket(source.includes(':') ? own.beyond6 : own.beyond4))],
        },
      ],
      // In a container, what comes in by the uplink is led to consumers, and refused there.
      never: ['second', 'tunnel'],
      why,
    })),
);

/** What a machine of that network sends to the device's card there, for everybody else. */
const outwardRows: readonly Row[] = [own.public4, own.nas4, own.public6, own.nas6].flatMap(
  (destination): Row[] => {
    const isV6 = destination.includes(':');
    return [udp, syn, echo].map((toPacket) => ({
      name: `a packet (${toPacket.name}) from another network of the device to ${destination}`,
      family: familyOf(destination),
      steps: [
        {
          from: 'second',
          packets: [from(isV6 ? own.beyond6 : own.beyond4, toPacket(destination))],
        },
      ],
      never: ['nas', 'router', 'internet', 'tunnel'],
      why,
      // IPv6 has one switch for all cards, so there a rule keeps it.
      ...(isV6
        ? {}
        : { keptByKernel: 'IPv4 is routed for what comes in by the uplink and the tunnel alone' }),
    }));
  },
);

/** Whom the device must not route for. */
export const routedRows: readonly Row[] = [...inwardRows, ...outwardRows];

function familyOf(address: string): Row['family'] {
  return address.includes(':') ? 6 : 4;
}

function from(source: string, [ip, ...rest]: Packet): Packet {
  return ip === undefined ? [] : [[ip[0], { ...ip[1], src: source }], ...rest];
}
