import { attackAddresses as own, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'ports that the owner blocks, as a range or for one protocol, are refused';

/** What the world's configuration blocks beside port 25. */
export const blockedPorts = [25, '6881-6889', 'udp/1900'];

export const portRangeRows: readonly Row[] = [own.public4, own.public6].flatMap((address) => [
  refused(
    `blocked ports 6881-6889 at ${address}`,
    [6881, 6885, 6889].flatMap((port) => [syn(address, port), udp(address, port)]),
    { why },
  ),
  refused(`blocked port udp/1900 at ${address}`, [udp(address, 1900)], { why }),
]);
