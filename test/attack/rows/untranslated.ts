import { echo, attackAddresses as own, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = "what comes from the tunnel leaves with this device's address or not at all";

/** Connections that no row before them has begun, so that none is translated already. */
export const untranslatedRows: readonly Row[] = [own.public4, own.public6].flatMap((address) => [
  refused(`untranslated UDP to ${address}`, [udp(address, 9000, {}, { sport: 41_900 })], { why }),
  refused(`untranslated TCP to ${address}`, [syn(address, 80, {}, { sport: 41_901 })], { why }),
  refused(`an untranslated echo to ${address}`, [echo(address, { src: neighbourOf(address) })], {
    why,
  }),
]);

function neighbourOf(address: string): string {
  return address.includes(':') ? own.neighbour6 : own.neighbour4;
}
