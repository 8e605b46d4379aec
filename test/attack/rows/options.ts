import { optioned, attackAddresses as own } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'no IPv4 options leave: routers on the way would act on them';

/** Options by their bytes, each filled up to whole words. */
const options = [
  ['fillers', '01010100'],
  ['a route to be written down', '0707040000000000'],
  ['times to be written down', '4408050000000000'],
  ['a stream', '88040001'],
  ['a security level', '820b000000000000000000' + '00'],
  ['an alert to routers', '94040000'],
  ['an option that nobody knows', '9e040000'],
] as const;

/** What the kernel forwards as it is, unlike source routes. */
export const optionRows: readonly Row[] = options.map(([name, bytes]) =>
  refused(`an IPv4 packet with ${name}`, [optioned(own.public4, bytes)], { why }),
);
