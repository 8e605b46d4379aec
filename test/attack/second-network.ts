import type { Lab } from '../../tools/lab/lab.ts';
import { attackAddresses as own } from './packet-data.ts';

/** The NAS's side of a second network; what comes out there, the host or the container routed. */
export const secondNetwork = 'second1';

/**
 * A second card of the host or the container, as a server's private network is one, or the second
 * network in a Compose file. The other end knows nothing of it, so the device is told whom it would
 * find there.
 */
export async function makeSecondNetwork(lab: Lab): Promise<void> {
  const mac = '02:00:00:00:78:09';
  const lines = [
    `ip link add second0 type veth peer name ${secondNetwork} address ${mac} netns ${lab.network.netns('nas')}`,
    `ip address add ${own.second4}/24 dev second0`,
    'ip link set second0 up',
    `ip neighbour add ${own.beyond4} lladdr ${mac} dev second0`,
  ];
  await lab.network.run('device', 'sh', '-ec', lines.join('\n'));
  await lab.network.run('nas', 'ip', 'link', 'set', secondNetwork, 'up');
}
