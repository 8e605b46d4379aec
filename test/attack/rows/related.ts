import { ip, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';
import type { Way } from '../world.ts';

const why =
  "a consumer sends no errors: one about another's connection, or about one of the device's own, leaves for nobody";

/** Public addresses that nobody answers at, so that what is tried stays open. */
const quiet4 = '9.9.9.8';
const quiet6 = '2606:4700::2229';

/**
 * Errors that the kernel takes for part of a connection, because they quote one of its packets. The
 * connection is there first: the device's own, another consumer's, or the consumer's.
 */
export function listRelatedRows(way: Way): readonly Row[] {
  const device4 = way === 'host' ? own.inside4 : own.device4;
  return [
    ...[own.consumer4, own.public4].flatMap((source) =>
      rowsAbout(`the device's own connection, from ${source}`, {
        from: 'device',
        near: device4,
        far: quiet4,
        source,
        firstPort: 50_100,
      }),
    ),
    ...(way === 'host'
      ? []
      : rowsAbout("the device's own connection, over IPv6", {
          from: 'device',
          near: own.device6,
          far: quiet6,
          source: own.consumer6,
          firstPort: 50_200,
        })),
    ...[own.neighbour4, own.consumer4].flatMap((source, index) =>
      rowsAbout(`the connection of ${own.consumer4}, from ${source}`, {
        from: 'tunnel',
        near: own.consumer4,
        far: quiet4,
        source,
        firstPort: 41_300 + index * 20,
      }),
    ),
    ...[own.neighbour6, own.consumer6].flatMap((source, index) =>
      rowsAbout(`the connection of ${own.consumer6}, from ${source}`, {
        from: 'tunnel',
        near: own.consumer6,
        far: quiet6,
        source,
        firstPort: 41_400 + index * 20,
      }),
    ),
  ];
}

interface Connection {
  readonly from: 'device' | 'tunnel';
  readonly near: string;
  readonly far: string;
  /** Whom the error seems to come from. */
  readonly source: string;
  readonly firstPort: number;
}

const kinds4 = [
  ['unreachable', ['ICMP', { type: 3, code: 3 }]],
  ['too big', ['ICMP', { type: 3, code: 4, nexthopmtu: 576 }]],
  ['too old', ['ICMP', { type: 11, code: 0 }]],
  ['redirected', ['ICMP', { type: 5, code: 1, gw: own.consumer4 }]],
] as const;
const kinds6 = [
  ['unreachable', ['ICMPv6DestUnreach', { code: 4 }]],
  ['too big', ['ICMPv6PacketTooBig', { mtu: 1280 }]],
  ['too old', ['ICMPv6TimeExceeded', {}]],
] as const;

/** An error of every kind, each about a connection that is made first. */
function rowsAbout(name: string, { from, near, far, source, firstPort }: Connection) {
  const isV6 = far.includes(':');
  return [udp, syn].flatMap((toPacket) =>
    (isV6 ? kinds6 : kinds4).map(([kind, layer], index): Row => {
      const sport = firstPort + index + (toPacket === udp ? 0 : 10);
      const first = toPacket(far, 9000, { src: near }, { sport });
      // What the far end would have sent is what an error about it quotes.
      const [, ...answer] = toPacket(near, sport, {}, { sport: 9000 });
      const error: Packet = [ip(far, { src: source }), layer, ip(near, { src: far }), ...answer];
      return {
        name: `an error (${kind}, ${toPacket.name}) about ${name}`,
        family: isV6 ? 6 : 4,
        steps: [
          { from, packets: [first], waitMs: 30 },
          { from: 'tunnel', packets: [error] },
        ],
        never: ['nas', 'router', 'internet', 'device', 'host'],
        why,
        ...(kind === 'redirected' && from === 'tunnel'
          ? { keptByKernel: 'no redirect passes a translation' }
          : {}),
      };
    }),
  );
}
