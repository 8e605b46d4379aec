import { addresses } from '../../../tools/lab/network.ts';
import { attackAddresses as own, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';

const why =
  "nobody outside the home opens a connection to the device: the tunnel's other end speaks to the tunnel alone";

/** What is let in for the tunnel and for the link is let in for nothing else. */
export const unaskedRows: readonly Row[] = [
  {
    name: "the tunnel's other end speaks to a service of the device",
    source: addresses.proxy,
    ports: { sport: 51_999, dport: 5353 },
  },
  {
    name: "another port of the tunnel's other end",
    source: addresses.proxy,
    ports: { sport: 5000, dport: 5353 },
  },
  { name: 'the Internet answers for DHCP', source: own.public4, ports: { sport: 67, dport: 68 } },
  {
    name: 'the Internet answers for DHCP to a service',
    source: own.public4,
    ports: { sport: 67, dport: 5353 },
  },
].map(({ name, source, ports }) => ({
  name,
  family: 4,
  steps: [{ from: 'uplink', packets: [udp(own.device4, ports.dport, { src: source }, ports)] }],
  // On a host it is the owner's own firewall that says who speaks to the host.
  never: ['device'],
  why,
}));
