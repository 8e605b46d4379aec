import {
  echo,
  ip,
  attackAddresses as own,
  type Packet,
  protocol,
  syn,
  udp,
} from '../packet-data.ts';
import type { Row } from '../row.ts';
import type { Point } from '../world.ts';

const toConsumers = 'into the tunnel goes only what a consumer asked for';

/** From the Internet and from neighbours, to consumers and to the device. */
export const outsideRows: readonly Row[] = [
  ...(['uplink', 'lan'] as const).flatMap((from) => {
    const [near4, near6] = from === 'lan' ? [own.nas4, own.nas6] : [own.public4, own.public6];
    const name = from === 'lan' ? 'the NAS' : 'the Internet';
    return [
      arriving(`${name} asks a consumer`, from, everything(near4, own.consumer4), toConsumers, [
        'tunnel',
        'device',
        'host',
      ]),
      arriving(
        `${name} asks a consumer over IPv6`,
        from,
        everything(near6, own.consumer6),
        toConsumers,
        ['tunnel', 'device', 'host'],
      ),
      arriving(
        `${name} tells a consumer about neighbours`,
        from,
        neighbours(near6, own.consumer6),
        toConsumers,
        ['tunnel', 'device', 'host'],
      ),
      arriving(
        `${name} takes the device for a way out`,
        from,
        everything(near4, '8.8.4.4'),
        toConsumers,
        ['tunnel', 'internet', 'device', 'host'],
      ),
      arriving(
        `${name} takes the device for a way out over IPv6`,
        from,
        everything(near6, '2606:4700::9'),
        toConsumers,
        ['tunnel', 'internet', 'device', 'host'],
      ),
      arriving(
        `${name} speaks as a consumer`,
        from,
        everything(own.consumer4, own.public4),
        toConsumers,
        ['tunnel', 'internet', 'device', 'host'],
      ),
      arriving(
        `${name} speaks as a consumer over IPv6`,
        from,
        everything(own.consumer6, own.public6),
        toConsumers,
        ['tunnel', 'internet', 'device', 'host'],
      ),
    ];
  }),
];

function everything(source: string, to: string): readonly Packet[] {
  const fields = { src: source };
  return [
    udp(to, 40_001, fields, { sport: 9000 }),
    syn(to, 80, fields),
    syn(to, 80, fields, { flags: 'SA' }),
    echo(to, fields),
    protocol(47, to, fields),
  ];
}

function neighbours(source: string, to: string): readonly Packet[] {
  const fields = { src: source, hlim: 255 };
  const rest: Packet = [['Raw', { load: { hex: '0102MARK000000000000' } }]];
  return [
    [ip(to, fields), ['ICMPv6ND_NS', { tgt: to }], ...rest],
    [ip(to, fields), ['ICMPv6ND_RA', {}], ...rest],
  ];
}

function arriving(
  name: string,
  from: 'uplink' | 'lan',
  packets: readonly Packet[],
  why: string,
  never: readonly Point[],
): Row {
  return {
    name,
    family: packets[0]?.[0]?.[0] === 'IPv6' ? 6 : 4,
    steps: [{ from, packets }],
    never,
    why,
  };
}
