import { echo, attackAddresses as own, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'the home is out of reach from its own outside, too';

/** The home by the addresses that the Internet knows it by. */
export const ownOutsideRows: readonly Row[] = [
  refused("the home's public address", [syn(own.home4, 80), udp(own.home4, 53), echo(own.home4)], {
    why,
  }),
  refused("a port that the home's router forwards to the NAS", [syn(own.home4, 8443)], { why }),
  refused(
    "the router's own IPv6 address outside",
    [syn(own.routerWan6, 80), echo(own.routerWan6)],
    { why },
  ),
  refused('another network of the home', [syn(own.guest6, 80), udp(own.guest6), echo(own.guest6)], {
    why,
  }),
];

/** What the owner's configuration denies; the rest is known without it. */
export const deniedDestinations = [own.home4, own.routerWan6];
