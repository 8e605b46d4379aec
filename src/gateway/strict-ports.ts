import { mergePortRanges, otherProtocols, parsePortRange } from '../lib/ports.ts';

/*
 * The ports of the strict rules. Below 1024 are the services that are attacked, and only a few that
 * people use: those pass. From 1024 on, where games, calls and VPNs are, everything passes but what
 * file sharing is known by. `docs/blocked-ports.md` has both tables, which a test compares.
 */

/** What passes below 1024. */
export const passingPorts = [
  { ports: 53, why: 'names of hosts; by TCP where an answer is too large for a datagram' },
  { ports: 'tcp/80', why: 'the web' },
  { ports: 123, why: 'the time of day' },
  { ports: 443, why: 'the web with TLS, and QUIC' },
  { ports: 465, why: 'handing mail in, with TLS: the mail server asks who it is' },
  { ports: 500, why: 'IPsec: how phones and offices connect (its other port is 4500)' },
  { ports: 587, why: 'handing mail in, with STARTTLS: the mail server asks who it is' },
  { ports: 853, why: 'names of hosts, encrypted' },
  { ports: 993, why: 'reading mail, with TLS' },
  { ports: 995, why: 'reading mail, with TLS' },
] as const;

/** What is refused from 1024 on. */
export const sharingPorts = [
  { ports: '6881-6889', why: 'BitTorrent: the range that clients began with' },
  { ports: 1337, why: 'BitTorrent: trackers' },
  { ports: 2710, why: 'BitTorrent: trackers' },
  { ports: 6969, why: 'BitTorrent: trackers' },
  { ports: 9337, why: 'BitTorrent: trackers' },
] as const;

const lastServicePort = 1023;

/**
 * What the strict rules refuse, as `gateway.blocked_ports` would have it, protocol by
 * protocol. Protocols without ports are refused too: nobody behind a shared address needs one, and
 * they leave by address alone.
 */
export function listStrictPorts(): readonly string[] {
  return [
    ...(['tcp', 'udp'] as const).flatMap((protocol) =>
      [...listBetween(protocol), ...sharingPorts.map(({ ports }) => ports)].map(
        (range) => `${protocol}/${range}`,
      ),
    ),
    otherProtocols,
  ];
}

/** The ranges of a protocol below 1024 that lie between what passes. */
function listBetween(protocol: 'tcp' | 'udp'): readonly string[] {
  const passing = passingPorts
    .flatMap(({ ports }) => parsePortRange(`${ports}`) ?? [])
    .filter((range) => range.protocol === undefined || range.protocol === protocol)
    .map(({ first, last }) => ({ protocol, first, last }));
  const ends = passing.flatMap(({ first, last }) => [first - 1, last + 1]);
  const bounds = [1, ...ends.toSorted((one, other) => one - other), lastServicePort];
  const between = bounds.flatMap((first, index) => {
    const last = bounds[index + 1];
    return index % 2 === 1 || last === undefined || first > last ? [] : [{ protocol, first, last }];
  });
  return mergePortRanges(between, protocol);
}
