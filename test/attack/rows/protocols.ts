import { attackAddresses as own, protocol } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why =
  "a protocol without ports leaves by address alone, so its answers could be those to a tunnel of the home's own";

/** IGMP, IP in IP, EGP, DCCP, 6in4, the source routing of SDRP, ESP, AH, OSPF, SCTP, UDP-Lite. */
const numbers = [2, 4, 8, 33, 41, 42, 50, 51, 89, 132, 136, 253];

/** What no owner has opened; GRE is open in this world. */
export const protocolRows: readonly Row[] = [own.public4, own.public6].flatMap((address) =>
  numbers.map((number) =>
    refused(`protocol ${number} to ${address}`, [protocol(number, address)], { why }),
  ),
);
