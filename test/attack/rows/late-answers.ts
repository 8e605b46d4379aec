import { ip, attackAddresses as own, type Packet, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';

const why =
  "an answer that comes when its connection is forgotten reaches no service of the device's own";

/**
 * A consumer chooses the port of a service as its own; the answer comes when connection tracking
 * has forgotten who asked.
 */
export const lateAnswerRows: readonly Row[] = [
  { public: own.public4, device: own.device4 },
  { public: own.public6, device: own.device6 },
].map(({ public: server, device }) => ({
  name: `a late answer of ${server} to the port of a service`,
  family: server.includes(':') ? 6 : 4,
  steps: [
    { from: 'tunnel', packets: [udp(server, 9000, {}, { sport: 5353 })], waitMs: 2500 },
    { from: 'uplink', packets: [answer(server, device)] },
  ],
  never: ['service'],
  why,
}));

/** Ports at which the home's own servers listen, within the range that consumers leave from. */
export const homeServers = [16_384, 22_000, 27_015];

/**
 * Known by its UDP header alone: it carries no mark. Two ports are too little to know it by, as the
 * number of an IP packet and the flags after it are the same bytes as port 16,384 twice.
 */
export const ownPortRows: readonly Row[] = [own.public4, own.public6].flatMap((server, index) => [
  fromPort(server, "a port of the device's own", { sport: 40_100 + index, dport: 9100 }),
  ...homeServers.map((port) =>
    fromPort(server, `port ${port}, at which the home listens`, { sport: port, dport: port }),
  ),
]);

function fromPort(
  server: string,
  name: string,
  ports: { readonly sport: number; readonly dport: number },
): Row {
  const packet: Packet = [ip(server), ['UDP', ports], ['Raw', { load: 'hello' }]];
  const udpBytes = 8 + 'hello'.length;
  const marks = [
    [ports.sport, ports.dport, udpBytes]
      .map((value) => value.toString(16).padStart(4, '0'))
      .join(''),
  ];
  return {
    name: `a consumer's connection to ${server} leaves from ${name}`,
    family: server.includes(':') ? 6 : 4,
    steps: [{ from: 'tunnel', packets: [packet] }],
    never: ['router', 'internet'],
    marks,
    why,
    keptByKernel: 'its translation gives it another port: that is no refusal, and not taken out',
  };
}

function answer(server: string, device: string): Packet {
  return [
    ip(device, { src: server }),
    ['UDP', { sport: 9000, dport: 'SEEN' }],
    ['Raw', { load: 'MARK' }],
  ];
}
