import { ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import type { OpenConnection, Row } from '../row.ts';

const why =
  'what is denied, blocked or one of your own is refused both ways, also where it was open';
/** In the range that consumers leave from, and none at which the home listens. */
const firstSource = 20_400;
const firstClosedSource = 20_500;

interface Far {
  readonly name: string;
  readonly far: string;
  readonly protocol: OpenConnection['protocol'];
  /** None where the protocol has none. */
  readonly port?: number;
}

/** By what a far end is refused: its port, its protocol, its address. */
const fars: readonly Far[] = [
  ...[own.public4, own.public6].flatMap((far): readonly Far[] => [
    { name: 'a blocked port', far, protocol: 'udp', port: 25 },
    { name: 'a blocked port', far, protocol: 'tcp', port: 25 },
    { name: 'a port within a blocked range', far, protocol: 'udp', port: 6885 },
    { name: 'a port that is blocked for UDP', far, protocol: 'udp', port: 1900 },
    { name: 'a port at which routers read along', far, protocol: 'tcp', port: 21 },
    { name: 'a tunnel', far, protocol: 41 },
    { name: 'a protocol that is not open', far, protocol: 253 },
  ]),
  ...[own.home4, own.routerWan6].map(
    (far): Far => ({ name: 'a denied address', far, protocol: 'udp', port: 9400 }),
  ),
  ...[own.nas4, own.nas6].map(
    (far): Far => ({ name: "the home's own network", far, protocol: 'udp', port: 9400 }),
  ),
  ...[own.routed4, own.routed6].map(
    (far): Far => ({ name: 'a public network of the home', far, protocol: 'udp', port: 9400 }),
  ),
  ...['100.100.100.200', '2001:db8:9::9'].map(
    (far): Far => ({ name: 'a special address', far, protocol: 'udp', port: 9400 }),
  ),
];

/** What a far end sends within a connection that was open before it was refused. */
export const openRows: readonly Row[] = fars.map((far, index) =>
  toRow(far, firstSource + index, why),
);

/** What anybody sends within a connection that was open before all was closed. */
export const closedAnswerRows: readonly Row[] = [own.public4, own.public6]
  .flatMap((far): readonly Far[] => [
    { name: 'a public address', far, protocol: 'udp', port: 9400 },
    { name: 'a public address', far, protocol: 'tcp', port: 443 },
  ])
  .map((far, index) =>
    toRow(far, firstClosedSource + index, 'nothing goes on in any phase but providing, either way'),
  );

function toRow({ name, far, protocol, port }: Far, sourcePort: number, promise: string): Row {
  const isV6 = far.includes(':');
  const source = isV6 ? own.consumer6 : own.consumer4;
  const ports = port === undefined ? undefined : { source: sourcePort, far: port };
  return {
    name: `an answer from ${name}, ${far}, by ${protocol} in an open connection`,
    family: isV6 ? 6 : 4,
    open: { protocol, source, far, ...(ports === undefined ? {} : { ports }) },
    steps: [{ from: 'uplink', packets: [toAnswer(far, protocol, ports)] }],
    never: ['tunnel'],
    why: promise,
  };
}

function toAnswer(
  far: string,
  protocol: OpenConnection['protocol'],
  ports: OpenConnection['ports'],
): Packet {
  const isV6 = far.includes(':');
  const to = isV6 ? own.device6 : own.device4;
  const mark: Packet[number] = ['Raw', { load: 'MARK' }];
  if (typeof protocol === 'number')
    return [ip(to, { src: far, ...(isV6 ? { nh: protocol } : { proto: protocol }) }), mark];
  const between = { sport: ports?.far ?? 0, dport: ports?.source ?? 0 };
  return [
    ip(to, { src: far }),
    protocol === 'udp' ? ['UDP', between] : ['TCP', { ...between, flags: 'PA', ack: 1 }],
    mark,
  ];
}
