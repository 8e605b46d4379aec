import { addresses } from '../../../tools/lab/network.ts';
import { ip, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import { type Row, refused, type Step } from '../row.ts';

const why = "nobody on the Internet gets a way in that the home's router would not give";

/** FTP, RTSP, H.323, SIP, IRC; TFTP, H.323, SIP, Amanda. */
const ports = { tcp: [21, 554, 1720, 5060, 6667], udp: [69, 1719, 5060, 10_080] };

/** No conversation in which a router reads along comes about. */
export const helperPortRows: readonly Row[] = [own.public4, own.public6].map((address) =>
  refused(
    `ports of ${address} at which routers read along`,
    [
      ...ports.tcp.map((port) => syn(address, port)),
      ...ports.udp.map((port) => udp(address, port)),
    ],
    { why },
  ),
);

/** Public, and nobody answers there but the server that works with the consumer. */
export const announcingServer = '9.9.9.8';
const sport = 41_800;
/** 23 × 256 + 112, as FTP writes it. */
const opened = 6000;
/** Each step has to have come back to the router before the next one. */
const waitMs = 200;

/**
 * Many home routers read along in old protocols, and let in what is announced there. So a consumer
 * and its server would open a port of the machine in whose name they speak: the device or its host.
 */
export const announcingRows: readonly Row[] = [
  {
    name: 'the router is told by FTP to open a port',
    family: 4,
    steps: [
      // Its mark shows the port from which it leaves.
      toServer({ flags: 'S', seq: 0 }, 'MARK'),
      toHome({ sport: 21, dport: 'SEEN', flags: 'SA', seq: 1000, ack: 1 }, []),
      toServer({ flags: 'PA', seq: 1, ack: 1001 }, toHex('NOOP\r\n')),
      toServer(
        { flags: 'PA', seq: 7, ack: 1001 },
        toHex(`PORT ${own.device4.replaceAll('.', ',')},23,112\r\n`),
      ),
      toHome({ sport: 20, dport: opened, flags: 'S' }, [['Raw', { load: 'MARK' }]]),
    ],
    // What the router has opened arrives, also where nobody answers there.
    never: ['nas', 'device', 'host', 'card'],
    why,
  },
];

type Fields = Packet[number][1];

function toServer(tcp: Fields, load: Fields[string]): Step {
  const said: Packet = [
    ['TCP', { sport, dport: 21, ...tcp }],
    ['Raw', { load }],
  ];
  return { from: 'tunnel', packets: [[ip(announcingServer), ...said]], waitMs };
}

function toHome(tcp: Fields, rest: Packet): Step {
  const packet: Packet = [ip(addresses.homeWan, { src: announcingServer }), ['TCP', tcp], ...rest];
  return { from: 'internet', packets: [packet], waitMs };
}

function toHex(text: string): Fields[string] {
  return { hex: Buffer.from(text).toString('hex') };
}
