import { addresses } from '../../../tools/lab/network.ts';
import { ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import type { Row, Step } from '../row.ts';

const why = "nobody on the Internet gets a way in that the home's router would not give";

/** Public, and nobody answers there but the server that works with the consumer. */
const server = '9.9.9.8';
/** 23 × 256 + 112, as FTP writes it. */
const opened = 6000;
const mark: Packet[number] = ['Raw', { load: 'MARK' }];

/**
 * Many home routers read along what some old protocols say, and let in what is announced there. So
 * a consumer and its server would open a port of the machine in whose name they speak.
 */
export const routerHelperRows: readonly Row[] = [own.device4, own.nas4].map((named, index) => {
  const sport = 41_800 + index;
  const toServer = (tcp: Packet[number][1], said: Packet[number]): Step => ({
    from: 'tunnel',
    packets: [[ip(server), ['TCP', { sport, dport: 21, ...tcp }], said]],
    waitMs: 50,
  });
  return {
    name: `the router is told by FTP to open a port of ${named}`,
    family: 4,
    steps: [
      // Its mark shows the port from which it leaves.
      toServer({ flags: 'S', seq: 0 }, mark),
      {
        from: 'internet',
        packets: [
          [
            ip(addresses.homeWan, { src: server }),
            ['TCP', { sport: 21, dport: 'SEEN', flags: 'SA', seq: 1000, ack: 1 }],
          ],
        ],
        waitMs: 50,
      },
      toServer({ flags: 'PA', seq: 1, ack: 1001 }, toLine('NOOP\r\n')),
      toServer(
        { flags: 'PA', seq: 7, ack: 1001 },
        toLine(`PORT ${named.replaceAll('.', ',')},23,112\r\n`),
      ),
      {
        from: 'internet',
        packets: [
          [
            ip(addresses.homeWan, { src: server }),
            ['TCP', { sport: 20, dport: opened, flags: 'S' }],
            mark,
          ],
        ],
      },
    ],
    never: ['nas', 'device', 'host'],
    why,
  };
});

function toLine(text: string): Packet[number] {
  return ['Raw', { load: { hex: Buffer.from(text).toString('hex') } }];
}
