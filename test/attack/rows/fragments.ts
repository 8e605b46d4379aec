import { ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why =
  'errors about what consumers send leave by the tunnel or not at all: never into the home, in no phase';

/**
 * The head of a packet whose tail never comes: after a while, the waiting is ended by an error to
 * its source.
 */
export const fragmentRows: readonly Row[] = [
  own.nas4,
  own.consumer4,
  own.nas6,
  own.consumer6,
  own.device6,
].flatMap((source, index) => {
  const isV6 = source.includes(':');
  return [
    isV6 ? own.public6 : own.public4,
    isV6 ? own.device6 : own.device4,
    isV6 ? own.tunnel6 : own.nas4,
  ].map((to, at) =>
    refused(
      `an error to ${source}: the tail never comes, to ${to}`,
      [head(source, to, 5000 + index * 10 + at)],
      {
        why,
        ...(isV6 || to === own.device4
          ? {}
          : { keptByKernel: 'about IPv4 it tells only who spoke to it' }),
      },
    ),
  );
});

function head(source: string, to: string, id: number): Packet {
  const load = { hex: `9c4123280100${'0000'}MARK${'00'.repeat(48)}` };
  return to.includes(':')
    ? [
        ip(to, { src: source }),
        ['IPv6ExtHdrFragment', { nh: 17, id, m: 1, offset: 0 }],
        ['Raw', { load }],
      ]
    : [ip(to, { src: source, proto: 17, id, flags: 1 }), ['Raw', { load }]];
}
