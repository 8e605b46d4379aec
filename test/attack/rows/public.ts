import { echo, attackAddresses as own, protocol, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why =
  'from the first packet, whatever is not allowed is refused: in every phase but providing';

/** What passes while providing, and may not in any other phase. */
export const publicRows: readonly Row[] = [own.public4, own.public6].flatMap((address) => [
  refused(`a public address ${address} by UDP`, [udp(address)], { why }),
  refused(
    `a public address ${address} by TCP`,
    [syn(address), syn(address, 443, {}, { flags: 'A' })],
    { why },
  ),
  refused(`a public address ${address} by an echo`, [echo(address)], { why }),
  refused(
    `a public address ${address} by other protocols`,
    [protocol(47, address), protocol(50, address), protocol(253, address)],
    { why },
  ),
]);
