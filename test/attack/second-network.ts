import type { Lab } from '../../tools/lab/lab.ts';
import { attackAddresses as own } from './packet-data.ts';

/** The NAS's side of a second network; what comes out there, the host or the container routed. */
export const secondNetwork = 'second1';
/** The card by which the host or the container is in it. */
export const secondCard = 'second0';

/**
 * A second card of the host or the container, as a server's private network is one, or the second
 * network in a Compose file. The other end knows nothing of it, so the device is told whom it would
 * find there.
 */
export async function makeSecondNetwork(lab: Lab): Promise<void> {
  const mac = '02:00:00:00:78:09';
  const lines = [
    `ip link add ${secondCard} type veth peer name ${secondNetwork} address ${mac} netns ${lab.network.netns('nas')}`,
    `ip address add ${own.second4}/24 dev ${secondCard}`,
    `ip address add ${own.second6}/64 dev ${secondCard} nodad`,
    `ip link set ${secondCard} up`,
    ...[own.beyond4, own.beyond6].map(
      (address) => `ip neighbour add ${address} lladdr ${mac} dev ${secondCard}`,
    ),
  ];
  await lab.network.run('device', 'sh', '-ec', lines.join('\n'));
  await lab.network.run('nas', 'ip', 'link', 'set', secondNetwork, 'up');
}
