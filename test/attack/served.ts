import { attackAddresses as own, udp } from './packet-data.ts';
import type { AttackWorld } from './world.ts';

/** Known by their ports; each family comes by a consumer of its own. */
const ports = { sport: 40_777, dport: 9777 };
const knocks = [
  { family: 'ipv4', inner: own.consumer4, packet: udp(own.public4, ports.dport, {}, ports) },
  { family: 'ipv6', inner: own.consumer6, packet: udp(own.public6, ports.dport, {}, ports) },
] as const;
const mostMs = 60_000;

/**
 * Waits until the device serves consumers by the network's own protocol, who find it and open
 * contracts by themselves; notes the addresses that it gives them.
 */
export async function waitUntilServed(world: AttackWorld): Promise<void> {
  const deadlineMs = performance.now() + mostMs;
  // A host's namespace has no way out by IPv6.
  const open = knocks.filter(({ family }) => world.way === 'container' || family === 'ipv4');
  for (const { family, inner, packet } of open) {
    while (!(await passes(world, packet)))
      if (performance.now() > deadlineMs) throw new Error(`${inner} is not served`);
    // What the kernel remembers of the packet that has just passed.
    const tracked = await world.inside('conntrack', '-L', '-f', family, '-p', 'udp');
    const pattern = ` src=(\\S+) dst=\\S+ sport=${ports.sport} dport=${ports.dport} `;
    const outer = new RegExp(pattern).exec(tracked)?.[1];
    if (outer === undefined) throw new Error(`nothing of ${inner} in: ${tracked}`);
    world.outerOf.set(inner, outer);
  }
}

async function passes(
  { packets }: AttackWorld,
  packet: (typeof knocks)[number]['packet'],
): Promise<boolean> {
  const steps = [{ from: 'tunnel', packets: [packet] }];
  const { heard } = await packets.send({
    row: packets.number(1),
    steps,
    marks: [],
    settleMs: 100,
  });
  return heard.some(({ point }) => point === 'internet');
}
