/** A field of a layer: `MARK` is what packets of the row are known by; `hex` may hold it too. */
export type Field =
  | string
  | number
  | { readonly hex: string }
  | { readonly layers: Packet }
  | { readonly each: readonly Field[] }
  | { readonly pair: readonly Field[] };

/** A layer by scapy's name, such as `IPv6ExtHdrRouting`, and its fields by scapy's names. */
type Layer = readonly [name: string, fields: Readonly<Record<string, Field>>];

/** A packet as data: its layers, the outer first; scapy fills in what is not said. */
export type Packet = readonly Layer[];

type Fields = Readonly<Record<string, Field>>;

/** Addresses of the attack's world, beside the lab's own. */
export const attackAddresses = {
  consumer4: '10.99.0.2',
  consumer6: 'fd99::2',
  neighbour4: '10.99.0.3',
  neighbour6: 'fd99::3',
  public4: '9.9.9.9',
  public6: '2606:4700::1111',
  /** The device's way there takes no packets of the tunnel's size. */
  narrow4: '9.9.9.10',
  narrow6: '2606:4700::2222',
  device4: '192.168.77.10',
  device6: '2a00:77:77::10',
  /** The agent's own address in its namespace on a host. */
  inside4: '198.18.213.2',
  nas4: '192.168.77.20',
  nas6: '2a00:77:77::20',
  router4: '192.168.77.1',
  router6: '2a00:77:77::1',
  /** What the home is reached by from outside. */
  home4: '45.77.1.2',
  routerWan6: '2a00:aa::2',
  /** Another network of the same home, behind the same router. */
  guest6: '2a00:77:77:1::5',
  tunnel6: 'fd00:99::2',
  /** Public networks to which the device has routes of its own, by the NAS. */
  routed4: '84.20.0.5',
  routed6: '2a0f:9::5',
  /** The host's address in its second network, and another machine there. */
  second4: '192.168.78.2',
  second6: 'fd78::2',
  beyond4: '192.168.78.9',
  beyond6: 'fd78::9',
} as const;

/** A port that the rows' packets leave from unless they say another. */
const usualSource = 40_001;
const payload: Packet = [['Raw', { load: 'MARK' }]];

/** The header of a packet from the consumer, whichever family the destination has. */
export function ip(destination: string, fields: Fields = {}): Packet[number] {
  return destination.includes(':')
    ? ['IPv6', { src: attackAddresses.consumer6, dst: destination, ...fields }]
    : ['IP', { src: attackAddresses.consumer4, dst: destination, ...fields }];
}

export function udp(
  destination: string,
  port = 9000,
  fields: Fields = {},
  transport: Fields = {},
): Packet {
  return [
    ip(destination, fields),
    ['UDP', { sport: usualSource, dport: port, ...transport }],
    ...payload,
  ];
}

/** A SYN that carries the mark, as one of TCP Fast Open does. */
export function syn(
  destination: string,
  port = 80,
  fields: Fields = {},
  transport: Fields = {},
): Packet {
  return [
    ip(destination, fields),
    ['TCP', { sport: usualSource, dport: port, flags: 'S', ...transport }],
    ...payload,
  ];
}

export function echo(destination: string, fields: Fields = {}): Packet {
  const kind: Packet[number] = destination.includes(':')
    ? ['ICMPv6EchoRequest', { data: 'MARK' }]
    : ['ICMP', {}];
  return [ip(destination, fields), kind, ...(destination.includes(':') ? [] : payload)];
}

/** Anything at all behind an IP header, by the number of its protocol. */
export function protocol(number: number, destination: string, fields: Fields = {}): Packet {
  const next = destination.includes(':') ? { nh: number } : { proto: number };
  return [ip(destination, { ...next, ...fields }), ...payload];
}

/** IPv4 with options as bytes, in words of four: scapy would complete them. */
export function optioned(destination: string, options: string): Packet {
  const address = destination
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('');
  const words = 5 + options.length / 8;
  const length = (words * 4 + 8 + 8).toString(16).padStart(4, '0');
  return [
    [
      'Bytes',
      {
        load: {
          hex: `4${words.toString(16)}00${length}0001000040110000${'0a630002'}${address}${options}9c4123280010${'0000'}MARK`,
        },
      },
    ],
  ];
}
